import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRIES, type Entry } from './contestants.js';
import type { Databases } from './databases.js';
import type { Step } from './life.js';
import type { Lived } from './lives.js';
import { LIVES, syncsOf } from './syncs.js';

const WARM = 20;

export interface Figures {
  readonly key: string;
  readonly name: string;
  readonly inFlight: number;
  readonly works: number;
  readonly worksPerSecond: number;
  readonly submitP50_ms: number;
  readonly submitP99_ms: number;
  readonly reviewP50_ms: number;
  readonly reviewP99_ms: number;
  readonly cpuPerWork_ms: number;
  readonly bytesPerWork: number;
  /** null on PostgreSQL, whose server does them, and where no tracer is installed. */
  readonly syncsPerWork: number | null;
  /** Of all its processes together. */
  readonly peakMemory_mb: number;
}

/** Runs `works` lives with `inFlight` of them under way, in a place of its own. */
export async function measure(
  key: string,
  works: number,
  inFlight: number,
  databases: Databases,
): Promise<Figures> {
  const entry = ENTRIES[key];
  if (!entry) throw new Error(`no contestant ${key}`);
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-bench-'));
  const url = entry.store === 'postgres' ? await databases.create() : null;
  const held = async () => (url === null ? await sqliteBytes(folder) : await databases.bytes(url));
  try {
    const children: ChildProcess[] = [];
    for (let n = 0; n < entry.processes; n += 1) {
      const share = (of: number): string => String(Math.floor((of + n) / entry.processes));
      const args = [key, folder, url ?? '-', share(works), share(inFlight), String(WARM), `p${n}`];
      const child = fork(LIVES, args, { execArgv: ['--import', 'tsx'] });
      await told(child);
      children.push(child);
    }
    const before = await held();
    const begun = performance.now();
    const lived = Promise.all(children.map((child) => told(child) as Promise<Lived>));
    for (const child of children) child.send('go');
    const results = await lived;
    const elapsed_ms = performance.now() - begun;
    await Promise.all(children.map(async (child) => child.exitCode ?? (await once(child, 'exit'))));
    const bytes = (await held()) - before;
    return {
      ...figures(key, entry, works, inFlight, elapsed_ms, results),
      bytesPerWork: bytes / works,
      syncsPerWork: entry.store === 'postgres' ? null : await syncsOf(key, inFlight),
    };
  } finally {
    if (url !== null) await databases.drop(url);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The next message of a process. @throws when it ends without one */
async function told(child: ChildProcess): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`a contestant ended with ${code}`));
    child.once('exit', gone);
    child.once('message', (message) => {
      child.off('exit', gone);
      resolve(message);
    });
  });
}

function figures(
  key: string,
  { name }: Entry,
  works: number,
  inFlight: number,
  elapsed_ms: number,
  results: readonly Lived[],
): Omit<Figures, 'bytesPerWork' | 'syncsPerWork'> {
  const all = (step: Step): number[] =>
    results.flatMap(({ times_ms }) => times_ms[step]).toSorted((a, b) => a - b);
  const [submit, review] = [all('submit'), all('review')];
  const sum = (of: (lived: Lived) => number): number =>
    results.reduce((total, lived) => total + of(lived), 0);
  return {
    key,
    name,
    inFlight,
    works,
    worksPerSecond: (works / elapsed_ms) * 1000,
    submitP50_ms: percentile(submit, 50),
    submitP99_ms: percentile(submit, 99),
    reviewP50_ms: percentile(review, 50),
    reviewP99_ms: percentile(review, 99),
    cpuPerWork_ms: sum(({ cpu_ms }) => cpu_ms) / works,
    peakMemory_mb: sum(({ peakMemory_bytes }) => peakMemory_bytes) / 1_048_576,
  };
}

function percentile(sorted: readonly number[], rank: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * rank) / 100))] ?? 0;
}

/** The database's file, when its log is empty; artifacts are the payload itself and are not counted for either side. */
async function sqliteBytes(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder))
    if (name.endsWith('.db')) total += (await stat(join(folder, name))).size;
  return total;
}
