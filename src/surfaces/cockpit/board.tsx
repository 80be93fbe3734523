import type { Status } from '../../core/work.js';
import { statusNumbers, type StatusNumbers } from '../../operations/basket/status-numbers.js';
import type { Door } from '../../operations/door.js';
import type { WorkView } from '../../operations/views.js';
import { Guide, GuideRest, isHalfGuided, type LoadSamples } from './guide.js';
import type { Say } from './language.js';
import { Lamp, Notice } from './layout.js';
import type { Screens } from './screens.js';
import { MAIN_LINE, SIDINGS, signalOf } from './signals.js';
import { span } from './time.js';
import type { Visit } from './visit.js';
import { WorkTable } from './work-table.js';

/** How many works the board's two short lists show; the rest is one press away. */
const SHORT_LIST = 8;

export function boardScreens(screens: Screens, loadSamples: LoadSamples): void {
  screens.get('/', async (visit) => ({
    title: visit.t('nav.board'),
    section: 'board',
    body: await board(visit, loadSamples),
  }));
}

async function board(visit: Visit, loadSamples: LoadSamples) {
  const { t, door, now_ms, desk, session, query } = visit;
  const numbers = await statusNumbers(desk, session.who);
  const total = [...numbers.values()].reduce((sum, each) => sum + each.count, 0);
  if (total === 0) return <Guide visit={visit} />;
  const needs = await needsOf(door, numbers);
  const waiting = await waitingForPeople(door);
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
      {query.get('guide') === 'samples' ? <Notice kind="good">{t('guide.samples_done')}</Notice> : null}
      {(await isHalfGuided(visit, total, loadSamples)) ? <GuideRest visit={visit} /> : null}
      <Summary t={t} needs={needs} />
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
        <More t={t} shown={waiting.items.length} total={waiting.total} href={waiting.rest} />
      </section>
      <section aria-labelledby="recent">
        <h2 id="recent">{t('board.recent')}</h2>
        <WorkTable visit={visit} works={recent.items} empty={t('list.empty')} />
        <More t={t} shown={recent.items.length} total={recent.total} href="/basket?sort=-updated" />
      </section>
    </div>
  );
}

type Need = 'gates' | 'unknown' | 'overdue' | 'letters' | 'reviews' | 'triage' | 'held' | 'not_applied';

/** What stands until a person does something, the most pressing first: each with its lamp and where it is answered. */
const NEEDS: readonly { readonly need: Need; readonly lamp: 'red' | 'amber'; readonly href: string }[] = [
  { need: 'gates', lamp: 'red', href: '/gates' },
  { need: 'unknown', lamp: 'red', href: '/basket?view=outcome_unknown' },
  { need: 'overdue', lamp: 'red', href: '/basket?view=overdue' },
  { need: 'letters', lamp: 'red', href: '/health#letters-title' },
  { need: 'reviews', lamp: 'amber', href: '/reviews' },
  { need: 'triage', lamp: 'amber', href: '/basket?status=DISCOVERED' },
  { need: 'held', lamp: 'amber', href: '/basket?status=BLOCKED&status=HOLD' },
  { need: 'not_applied', lamp: 'amber', href: '/basket?view=not_applied' },
];

async function needsOf(
  door: Door,
  numbers: ReadonlyMap<Status, StatusNumbers>,
): Promise<Readonly<Record<Need, number>>> {
  const count = (status: Status): number => numbers.get(status)?.count ?? 0;
  const inView = async (view: string): Promise<number> => (await door.basket({ view, limit: 1 })).total;
  return {
    gates: count('OWNER_GATE'),
    unknown: await inView('outcome_unknown'),
    overdue: [...numbers.values()].reduce((sum, each) => sum + each.overdue, 0),
    letters: await inView('dead_letters'),
    reviews: count('VP_REVIEW'),
    triage: count('DISCOVERED'),
    held: count('BLOCKED') + count('HOLD'),
    not_applied: await inView('not_applied'),
  };
}

interface WaitingWorks {
  readonly items: readonly WorkView[];
  readonly total: number;
  /** Where the ones are that the short list has no room for. */
  readonly rest: string;
}

/** What has gone silent or is unknown, then what waits for a judgement: as many as the short list shows, all counted. */
async function waitingForPeople(door: Door): Promise<WaitingWorks> {
  const unknown = await door.basket({ view: 'outcome_unknown', limit: SHORT_LIST });
  const judged = await door.list({ status: ['OWNER_GATE', 'VP_REVIEW'], limit: SHORT_LIST, sort: 'due' });
  const silent = unknown.items.filter((item) => 'workId' in item && 'status' in item);
  return {
    items: [...silent, ...judged.items].slice(0, SHORT_LIST),
    total: unknown.total + judged.total,
    rest:
      unknown.total > SHORT_LIST
        ? '/basket?view=outcome_unknown'
        : '/basket?status=OWNER_GATE&status=VP_REVIEW&sort=due',
  };
}

/** One sentence for who has two minutes: does anything need me? It is green only where every lamp below it is. */
function Summary({ t, needs }: { readonly t: Say; readonly needs: Readonly<Record<Need, number>> }) {
  const there = NEEDS.filter(({ need }) => needs[need] > 0);
  const lamp = there[0]?.lamp ?? 'green';
  return (
    <p class={`summary summary-${lamp}`}>
      <Lamp state={lamp} />
      {there.length === 0 ? <span>{t('board.clear')}</span> : null}
      {there.map(({ need, href }) => (
        <a href={href}>{t(`board.need.${need}`, { n: needs[need] })}</a>
      ))}
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
  const { count = 0, oldest = null, unowned = 0, overdue = 0, silent = 0 } = numbers ?? {};
  const signal = signalOf(status, count, overdue + silent);
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
          {silent > 0 ? <strong class="bad">{t('board.silent', { n: silent })}</strong> : null}
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
