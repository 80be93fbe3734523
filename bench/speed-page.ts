import type { Figures } from './measure.js';

/** What `npm run bench` writes. */
export interface Results {
  readonly at: string;
  readonly machine: { readonly cpus: number; readonly model?: string; readonly memory_gib: number };
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly figures: readonly Figures[];
}

const BEGIN = '<!-- written by npm run bench -->';
const END = '<!-- end -->';

/** The page with its measured part made anew from the results. @throws Error where the page has no such part */
export function withFigures(page: string, results: Results): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error('the page has no place for the figures');
  return `${page.slice(0, from + BEGIN.length)}\n\n${measured(results)}\n\n${page.slice(to)}`;
}

function measured({ at, machine, versions, figures }: Results): string {
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version ?? '?'}`);
  return [
    `Measured on ${at.slice(0, 10)} on ${machine.cpus} cores (${machine.model ?? 'unknown'}), ${machine.memory_gib} GiB; ${used.join(', ')}.`,
    ...[1, 32].map((inFlight) => table(figures.filter((row) => row.inFlight === inFlight))),
    comparison(figures.filter((row) => row.inFlight === 32)),
  ].join('\n\n');
}

const COLUMNS: readonly (readonly [title: string, value: (row: Figures) => string])[] = [
  ['works/s', (row) => row.worksPerSecond.toFixed(0)],
  ['submit p50 / p99, ms', (row) => `${row.submitP50_ms.toFixed(1)} / ${row.submitP99_ms.toFixed(1)}`],
  ['review p50 / p99, ms', (row) => `${row.reviewP50_ms.toFixed(1)} / ${row.reviewP99_ms.toFixed(1)}`],
  ['CPU, ms a work', (row) => row.cpuPerWork_ms.toFixed(1)],
  ['syncs a work', (row) => row.syncsPerWork?.toFixed(1) ?? '–'],
  ['KB a work', (row) => (row.bytesPerWork / 1024).toFixed(1)],
  ['memory, MB', (row) => row.peakMemory_mb.toFixed(0)],
];

function table(rows: readonly Figures[]): string {
  const titles = [`${rows[0]?.inFlight ?? 0} in flight`, ...COLUMNS.map(([title]) => title)];
  const lines = rows.map((row) => [row.name, ...COLUMNS.map(([, value]) => value(row))]);
  return [titles, titles.map((_, column) => (column === 0 ? '---' : '--:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** What was aimed at, and what came of it, in the same run. */
function comparison(rows: readonly Figures[]): string {
  const of = (key: string): Figures | undefined => rows.find((row) => row.key === key);
  const line = (what: string, aim: string, ours?: number, theirs?: number): string[] =>
    ours === undefined || theirs === undefined
      ? []
      : [`| ${what} | ${aim} | ${(ours / theirs).toFixed(2)} times |`];
  const [box, two, bare] = [of('signalbox'), of('signalbox-two'), of('bare-async')];
  const [postgres, barePostgres] = [of('signalbox-postgres'), of('bare-postgres')];
  return [
    '| 32 in flight, beside bare LangGraph at the same durability | aim | measured |',
    '| --- | --- | --: |',
    ...line('works a second, one process', '2 times', box?.worksPerSecond, bare?.worksPerSecond),
    ...line('works a second, two processes', '3 times', two?.worksPerSecond, bare?.worksPerSecond),
    ...line('submit p50', '0.1 times', box?.submitP50_ms, bare?.submitP50_ms),
    ...line(
      'works a second on PostgreSQL, beside PostgresSaver',
      '3 times',
      postgres?.worksPerSecond,
      barePostgres?.worksPerSecond,
    ),
  ].join('\n');
}
