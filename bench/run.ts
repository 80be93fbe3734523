import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { ENTRIES } from './contestants.js';
import { Databases } from './databases.js';
import { measure, type Figures } from './measure.js';
import { withFigures, type Results } from './speed-page.js';

/**
 * `npm run bench [-- --works N] [--only KEY,KEY]`: the same job on Signalbox and on bare LangGraph, one after the other
 * in one run, on the same disk. Prints a table; without `--only` it writes `bench/results.json` and its tables in
 * `docs/speed.md`.
 */
const WORKS_DEFAULT = 600;
const PAGE = 'docs/speed.md';
const IN_FLIGHT = [1, 32] as const;

function flag(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : (process.argv[at + 1] ?? '');
}

function worksAsked(): number {
  const works = Number(flag('works') ?? WORKS_DEFAULT);
  if (!Number.isInteger(works) || works < 1) throw new Error('--works takes a whole number from 1');
  return works;
}

function keysAsked(): readonly string[] {
  const only = flag('only')?.split(',');
  const unknown = only?.find((key) => !(key in ENTRIES));
  if (unknown !== undefined)
    throw new Error(`--only: no ${unknown}; there are ${Object.keys(ENTRIES).join(', ')}`);
  return only ?? Object.keys(ENTRIES);
}

async function versions(): Promise<Record<string, string | undefined>> {
  const { dependencies, optionalDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string> | undefined
  >;
  const named = [
    '@langchain/langgraph',
    '@langchain/langgraph-checkpoint-sqlite',
    '@langchain/langgraph-checkpoint-postgres',
    'better-sqlite3',
    'pg',
  ];
  const pinned = { ...optionalDependencies, ...dependencies };
  return { node: process.version, ...Object.fromEntries(named.map((name) => [name, pinned[name]])) };
}

const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));

const works = worksAsked();
const keys = keysAsked();
const databases = new Databases();
const figures: Figures[] = [];
try {
  for (const inFlight of IN_FLIGHT) {
    for (const key of keys) {
      if (inFlight < (ENTRIES[key]?.processes ?? 1)) continue;
      process.stderr.write(`${ENTRIES[key]?.name}, ${inFlight} in flight …\n`);
      figures.push(await measure(key, inFlight === 1 ? Math.ceil(works / 4) : works, inFlight, databases));
    }
  }
} finally {
  await databases.close();
}
console.table(
  figures.map((row) => ({
    contestant: row.name,
    'in flight': row.inFlight,
    'works/s': Math.round(row.worksPerSecond),
    'submit p50 ms': rounded(row.submitP50_ms),
    'submit p99 ms': rounded(row.submitP99_ms),
    'review p50 ms': rounded(row.reviewP50_ms),
    'CPU ms/work': rounded(row.cpuPerWork_ms),
    'syncs/work': row.syncsPerWork === null ? '' : rounded(row.syncsPerWork),
    'KB/work': rounded(row.bytesPerWork / 1024),
    MB: Math.round(row.peakMemory_mb),
  })),
);
const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model,
  memory_gib: Math.round(totalmem() / 2 ** 30),
};
if (flag('only') === undefined) {
  const results: Results = {
    at: new Date().toISOString(),
    machine: { ...machine, model: machine.model ?? 'unknown' },
    versions: await versions(),
    figures,
  };
  await writeFile('bench/results.json', `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(PAGE, withFigures(await readFile(PAGE, 'utf8'), results));
}
