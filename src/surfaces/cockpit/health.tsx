import { flowByDay } from '../../operations/basket/flow.js';
import type { Door } from '../../operations/door.js';
import { DayChart } from './day-chart.js';
import { DeadLetters } from './dead-letters.js';
import { seeOther } from './headers.js';
import { HoldersTable, KindsTable } from './health-tables.js';
import { Lamp } from './layout.js';
import type { Screens } from './screens.js';
import { span } from './time.js';
import type { Visit } from './visit.js';

/** How far back the charts go. */
const DAYS = 14;

export function healthScreens(screens: Screens): void {
  screens.get('/health', async (visit) => ({
    title: visit.t('nav.health'),
    section: 'health',
    body: await health(visit),
  }));
  screens.post('/health/letters/:id/:act', async ({ door, param }, form) => {
    const reason = form.get('reason').trim();
    if (param('act') === 'redrive') await door.redrive(param('id'), { reason });
    else await door.closeDeadLetter(param('id'), { reason });
    return seeOther('/health');
  });
}

async function health(visit: Visit) {
  const { t, door, desk, session, query } = visit;
  const cursor = query.get('cursor');
  const letters = await door.deadLetters(cursor ? { cursor } : {});
  const days = await flowByDay(desk, session.who, DAYS);
  const dates = days.map((day) => day.date);
  const number = (value: number): string => String(value);
  return (
    <>
      <h1>{t('nav.health')}</h1>
      <p>
        <a href="/daily">{t('daily.title')}</a>
      </p>
      <Signals visit={visit} letters={letters.total} waiting={await waiting(door)} />
      <div class="charts">
        <DayChart
          t={t}
          title={t('health.flow')}
          dates={dates}
          shown={number}
          series={[
            { name: t('health.arrived'), values: days.map((day) => day.arrived), tone: 'first' },
            { name: t('health.ended'), values: days.map((day) => day.ended), tone: 'second' },
          ]}
        />
        <DayChart
          t={t}
          title={t('health.dwell')}
          dates={dates}
          shown={(value) => span(t, value)}
          series={[{ name: t('health.dwell'), values: days.map((day) => day.dwell_ms), tone: 'first' }]}
        />
        <DayChart
          t={t}
          title={t('health.again')}
          dates={dates}
          shown={number}
          series={[
            { name: t('health.reworked'), values: days.map((day) => day.reworked), tone: 'first' },
            { name: t('health.turned_away'), values: days.map((day) => day.turnedAway), tone: 'second' },
          ]}
        />
      </div>
      <KindsTable t={t} stats={await door.stats()} />
      <HoldersTable t={t} stats={await door.stats({ by: 'holder' })} />
      <DeadLetters visit={visit} letters={letters} />
    </>
  );
}

type Waiting = Readonly<Record<'not_applied' | 'outcome_unknown' | 'overdue', number>>;

async function waiting(door: Door): Promise<Waiting> {
  const total = async (view: string): Promise<number> => (await door.basket({ view, limit: 1 })).total;
  return {
    not_applied: await total('not_applied'),
    outcome_unknown: await total('outcome_unknown'),
    overdue: await total('overdue'),
  };
}

/** What should be nothing. Each leads to what it counts. */
function Signals({ visit, letters, waiting: counts }: { visit: Visit; letters: number; waiting: Waiting }) {
  const { t } = visit;
  const signals = [
    { name: t('view.not_applied'), count: counts.not_applied, href: '/basket?view=not_applied' },
    { name: t('view.outcome_unknown'), count: counts.outcome_unknown, href: '/basket?view=outcome_unknown' },
    { name: t('view.overdue'), count: counts.overdue, href: '/basket?view=overdue' },
    { name: t('view.dead_letters'), count: letters, href: '#letters-title' },
  ];
  return (
    <ul class="line sidings">
      {signals.map(({ name, count, href }) => (
        <li class={count > 0 ? 'station station-red' : 'station station-empty'}>
          <a href={href}>
            <span class="rail">
              <Lamp state={count > 0 ? 'red' : 'green'} />
            </span>
            <span class="station-name">{name}</span>
            <span class="count">{count}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
