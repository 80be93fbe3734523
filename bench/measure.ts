import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Step = 'submit' | 'review';
export type Timed = <T>(step: Step, run: () => Promise<T>) => Promise<T>;
/** One work from registration to done. */
export type Lifecycle = (id: string, payload: unknown, timed: Timed) => Promise<void>;

export interface Contestant {
  readonly name: string;
  open(folder: string): Promise<{ life: Lifecycle; settle(): Promise<void>; close(): Promise<void> }>;
}

export interface Figures {
  readonly name: string;
  readonly inFlight: number;
  readonly works: number;
  readonly worksPerSecond: number;
  readonly submitP50_ms: number;
  readonly submitP99_ms: number;
  readonly reviewP50_ms: number;
  readonly reviewP99_ms: number;
  readonly cpuPerWork_ms: number;
  readonly databaseBytesPerWork: number;
  readonly peakMemory_mb: number;
}

const PAYLOAD_CHARS = 1_000;

/** Runs `works` lifecycles with `inFlight` of them under way at once, in a folder of its own on the disk under the temp folder. */
export async function measure(contestant: Contestant, works: number, inFlight: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-bench-'));
  const times: Record<Step, number[]> = { submit: [], review: [] };
  const timed: Timed = async (step, run) => {
    const begun = performance.now();
    const result = await run();
    times[step].push(performance.now() - begun);
    return result;
  };
  const open = await contestant.open(folder);
  try {
    for (let warm = 0; warm < 20; warm += 1)
      await open.life(`warm-${warm}`, payload(warm), async (_step, run) => await run());
    await open.settle();
    const bytesBefore = await databaseBytes(folder);
    const cpuBefore = process.cpuUsage();
    const begun = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (next < works) {
          const id = `work-${next}`;
          next += 1;
          await open.life(id, payload(next), timed);
        }
      }),
    );
    const elapsed_ms = performance.now() - begun;
    const cpu = process.cpuUsage(cpuBefore);
    const peakMemory_mb = process.memoryUsage().rss / 1_048_576;
    await open.settle();
    return {
      name: contestant.name,
      inFlight,
      works,
      worksPerSecond: (works / elapsed_ms) * 1000,
      submitP50_ms: percentile(times.submit, 50),
      submitP99_ms: percentile(times.submit, 99),
      reviewP50_ms: percentile(times.review, 50),
      reviewP99_ms: percentile(times.review, 99),
      cpuPerWork_ms: (cpu.user + cpu.system) / 1000 / works,
      databaseBytesPerWork: ((await databaseBytes(folder)) - bytesBefore) / works,
      peakMemory_mb,
    };
  } finally {
    await open.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function payload(seed: number): unknown {
  return { seed, text: String(seed).repeat(PAYLOAD_CHARS).slice(0, PAYLOAD_CHARS) };
}

function percentile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * rank) / 100))] ?? 0;
}

/** The database's own files; artifacts are the payload itself and are not counted for either side. */
async function databaseBytes(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder))
    if (name.includes('.db')) total += (await stat(join(folder, name))).size;
  return total;
}
