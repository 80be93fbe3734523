import type { Status } from '../../core/work.js';
import { statusNumbers, type StatusNumbers } from '../../operations/basket/status-numbers.js';
import { Guide } from './guide.js';
import type { Say } from './language.js';
import { Lamp } from './layout.js';
import type { Screens } from './screens.js';
import { MAIN_LINE, SIDINGS, signalOf } from './signals.js';
import { span } from './time.js';
import type { Visit } from './visit.js';
import { WorkTable } from './work-table.js';

/** How many works the board's two short lists show; the rest is one press away. */
const SHORT_LIST = 8;

export function boardScreens(screens: Screens): void {
  screens.get('/', async (visit) => ({
    title: visit.t('nav.board'),
    section: 'board',
    body: await board(visit),
  }));
}

async function board(visit: Visit) {
  const { t, door, now_ms, desk, session } = visit;
  const numbers = await statusNumbers(desk, session.who);
  const total = [...numbers.values()].reduce((sum, each) => sum + each.count, 0);
  if (total === 0) return <Guide visit={visit} />;
  const waiting = await door.list({
    status: ['OWNER_GATE', 'OUTCOME_UNKNOWN'],
    limit: SHORT_LIST,
    sort: 'due',
  });
  const recent = await door.list({ limit: SHORT_LIST, sort: '-updated' });
  return (
    <div
      id="board"
      hx-get="/"
      hx-select="#board"
      hx-swap="outerHTML"
      hx-trigger="desk-changed from:body"
      data-refreshes
    >
      <h1>{t('nav.board')}</h1>
      <Summary t={t} numbers={numbers} />
      <ol class="line" aria-label={t('board.main_line')}>
        {MAIN_LINE.map((status) => (
          <Station t={t} status={status} numbers={numbers.get(status)} now_ms={now_ms} />
        ))}
      </ol>
      <h2 class="small-title">{t('board.sidings')}</h2>
      <ul class="line sidings">
        {SIDINGS.map((status) => (
          <Station t={t} status={status} numbers={numbers.get(status)} now_ms={now_ms} />
        ))}
      </ul>
      <section aria-labelledby="waiting">
        <h2 id="waiting">{t('board.needs_person')}</h2>
        <WorkTable visit={visit} works={waiting.items} empty={t('board.nothing_waits')} />
        <More
          t={t}
          shown={waiting.items.length}
          total={waiting.total}
          href="/basket?status=OWNER_GATE&status=OUTCOME_UNKNOWN"
        />
      </section>
      <section aria-labelledby="recent">
        <h2 id="recent">{t('board.recent')}</h2>
        <WorkTable visit={visit} works={recent.items} empty={t('list.empty')} />
        <More t={t} shown={recent.items.length} total={recent.total} href="/basket?sort=-updated" />
      </section>
    </div>
  );
}

/** One sentence for who has two minutes: does anything need me? */
function Summary({ t, numbers }: { readonly t: Say; readonly numbers: ReadonlyMap<Status, StatusNumbers> }) {
  const count = (status: Status): number => numbers.get(status)?.count ?? 0;
  const all = [...numbers.values()];
  const overdue = all.reduce((sum, each) => sum + each.overdue, 0);
  const gates = count('OWNER_GATE');
  const unknown = count('OUTCOME_UNKNOWN');
  const lamp = gates + unknown + overdue > 0 ? 'red' : 'green';
  return (
    <p class={`summary summary-${lamp}`}>
      <Lamp state={lamp} />
      {lamp === 'green' ? <span>{t('board.clear')}</span> : null}
      {gates > 0 ? <a href="/gates">{t('board.gates_wait', { n: gates })}</a> : null}
      {unknown > 0 ? (
        <a href="/basket?view=outcome_unknown">{t('board.unknown_wait', { n: unknown })}</a>
      ) : null}
      {overdue > 0 ? <a href="/basket?view=overdue">{t('board.overdue', { n: overdue })}</a> : null}
      {count('VP_REVIEW') > 0 ? (
        <a href="/reviews">{t('board.reviews_wait', { n: count('VP_REVIEW') })}</a>
      ) : null}
    </p>
  );
}

interface StationProps {
  readonly t: Say;
  readonly status: Status;
  readonly numbers: StatusNumbers | undefined;
  readonly now_ms: number;
}

function Station({ t, status, numbers, now_ms }: StationProps) {
  const { count = 0, oldest = null, unowned = 0, overdue = 0 } = numbers ?? {};
  const signal = signalOf(status, count, overdue);
  const needsPerson = count > 0 && (status === 'OWNER_GATE' || status === 'OUTCOME_UNKNOWN');
  return (
    <li class={`station station-${signal}${count === 0 ? ' station-empty' : ''}`}>
      <a id={`station-${status}`} href={`/basket?status=${status}`} title={status}>
        <span class="rail">
          <Lamp state={signal} />
        </span>
        <span class="station-name">{t(`status.${status}`)}</span>
        <span class="count">{count}</span>
        <span class="station-facts">
          {oldest ? <span>{t('board.oldest', { span: span(t, now_ms - Date.parse(oldest)) })}</span> : null}
          {unowned > 0 ? <span>{t('board.unowned', { n: unowned })}</span> : null}
          {overdue > 0 ? <strong class="bad">{t('board.overdue', { n: overdue })}</strong> : null}
          {needsPerson ? <strong class="bad">{t('board.needs_you')}</strong> : null}
        </span>
      </a>
    </li>
  );
}

function More({ t, shown, total, href }: { t: Say; shown: number; total: number; href: string }) {
  if (total <= shown) return null;
  return (
    <p class="more">
      <a href={href}>{t('list.more', { shown, total })}</a>
    </p>
  );
}
