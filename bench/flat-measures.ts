import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readImport } from '../src/importing/read-import.js';
import { openSignalbox, type Door, type Signalbox } from '../src/index.js';
import type { SqliteStore } from '../src/ledger/sqlite.js';
import { doorFor } from '../src/operations/door.js';
import { BASKET_VIEWS } from '../src/operations/basket/views.js';
import { BENCH_KIND, PEOPLE } from './fill-lives.js';

export interface Spread {
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

export function spread(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (percent: number): number =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0);
  return { p50_ms: at(50), p99_ms: at(99), max_ms: at(100) };
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

export async function repeated(times: number, run: (turn: number) => Promise<unknown>): Promise<Spread> {
  const taken: number[] = [];
  for (let turn = 0; turn < times; turn += 1) taken.push(await timed(() => run(turn)));
  return spread(taken);
}

/** A desk on a folder, with the people of the benchmark. */
export async function deskOn(folder: string): Promise<Signalbox> {
  const box = await openSignalbox({ dataDir: folder, kinds: [BENCH_KIND], deliver: false });
  for (const person of PEOPLE) await box.as('owner').putPrincipal(person);
  return box;
}

const asIs = (work: { wait: { interruptId: string } | null }): string => work.wait?.interruptId ?? '';

/** From registration to done, one after the other. */
export async function lifecycle(box: Signalbox, workId: string): Promise<void> {
  const [ann, rita, otto] = [box.as('ann'), box.as('rita'), box.as('otto')];
  const { sha256 } = await ann.putArtifact(`{"of":"${workId}"}`, 'application/json');
  await otto.register({ kind: 'bench', workId, input: { workId } });
  await otto.promote(workId, { reason: 'it is work' });
  const { claim } = await ann.claim(workId, {});
  const { work } = await ann.submit(workId, {
    interruptId: claim.interruptId,
    inputVersion: 1,
    artifact: { sha256 },
  });
  const about = { artifactSha256: sha256, evidenceRef: 'log:1' };
  const passed = await rita.review(workId, { interruptId: asIs(work), ...about, verdict: 'PASS' });
  await ann.complete(workId, {
    interruptId: asIs(passed.work),
    ...about,
    outcome: 'merged',
    externalId: 'ext-1',
  });
}

/** First pages and numbers, each asked as often as makes a 99th percentile. */
export async function reads(box: Signalbox, times: number): Promise<Record<string, Spread>> {
  const door = box.as('otto');
  const found: Record<string, Spread> = {};
  for (const view of BASKET_VIEWS)
    found[`basket ${view}`] = await repeated(times, () => door.basket({ view }));
  found['list of works'] = await repeated(times, () => door.list({}));
  found['stats'] = await repeated(times, () => door.stats());
  found['daily report'] = await repeated(Math.ceil(times / 10), () => door.dailyReport());
  return found;
}

export interface Rework {
  readonly rounds: number;
  readonly firstRounds_ms: number;
  readonly lastRounds_ms: number;
  readonly firstRounds_bytes: number;
  readonly lastRounds_bytes: number;
}

/** One work sent back again and again: what a round costs at the beginning and at the end, in time and in the file. */
export async function rework(box: Signalbox, folder: string, rounds: number): Promise<Rework> {
  const [ann, rita, otto] = [box.as('ann'), box.as('rita'), box.as('otto')];
  const workId = `rework-${Date.now()}`;
  await otto.register({ kind: 'bench', workId, input: { workId } });
  await otto.promote(workId, { reason: 'it is work' });
  const { sha256 } = await ann.putArtifact('{"never":"right"}', 'application/json');
  const marks: { ms: number; bytes: number }[] = [];
  const { connection } = box.desk.store as SqliteStore;
  for (let round = 1; round < rounds; round += 1) {
    const ms = await timed(async () => {
      const { claim } = await ann.claim(workId, {});
      const { work } = await ann.submit(workId, {
        interruptId: claim.interruptId,
        inputVersion: 1,
        artifact: { sha256 },
      });
      const about = { artifactSha256: sha256, evidenceRef: 'log:1', findings: ['not yet'] };
      await rita.review(workId, { interruptId: asIs(work), ...about, verdict: 'REWORK' });
    });
    connection.pragma('wal_checkpoint(TRUNCATE)');
    marks.push({ ms, bytes: statSync(join(folder, 'signalbox.db')).size });
  }
  const part = Math.floor(rounds / 10);
  const growth = (from: number, to: number): number =>
    Math.round(((marks[to]?.bytes ?? 0) - (marks[from]?.bytes ?? 0)) / (to - from));
  return {
    rounds,
    firstRounds_ms: spread(marks.slice(1, part).map(({ ms }) => ms)).p50_ms,
    lastRounds_ms: spread(marks.slice(-part).map(({ ms }) => ms)).p50_ms,
    firstRounds_bytes: growth(0, part),
    lastRounds_bytes: growth(marks.length - 1 - part, marks.length - 1),
  };
}

export interface Restart {
  readonly openLeases: number;
  readonly unapplied: number;
  /** Until the desk answers. */
  readonly open_ms: number;
  /** Until every answer that was left is applied. */
  readonly recovered_ms: number;
}

/** Leaves answers accepted and not applied, as a process does that dies between the two, and opens the store again. */
export async function restart(folder: string, unapplied: number): Promise<Restart> {
  const before = await deskOn(folder);
  const never = { apply: () => new Promise<never>(() => undefined) };
  const ann: Door = doorFor({ ...before.desk, appliers: never }, { tenant: 'default', principal: 'ann' });
  const { sha256 } = await ann.putArtifact('{"done":true}', 'application/json');
  for (let number = 0; number < unapplied; number += 1) {
    const workId = `restart-${Date.now()}-${number}`;
    await before.as('otto').register({ kind: 'bench', workId, input: {} });
    await before.as('otto').promote(workId, { reason: 'it is work' });
    const { claim } = await ann.claim(workId, {});
    const result = { interruptId: claim.interruptId, inputVersion: 1, artifact: { sha256 } };
    await ann.submit(workId, result, { wait_ms: 0 });
  }
  // Whoever died holds nothing any more.
  const { connection } = before.desk.store as SqliteStore;
  connection.exec('UPDATE works SET applier = NULL WHERE pending_receipt IS NOT NULL');
  const leases = connection.prepare('SELECT count(*) AS n FROM leases WHERE closed_at IS NULL').get();
  await before.close();
  const begun = performance.now();
  const box = await openSignalbox({ dataDir: folder, kinds: [BENCH_KIND], deliver: false });
  await box.as('otto').basket({});
  const open_ms = performance.now() - begun;
  const after = (box.desk.store as SqliteStore).connection;
  const left = (): number =>
    (
      after.prepare('SELECT count(*) AS n FROM works WHERE pending_receipt IS NOT NULL').get() as {
        n: number;
      }
    ).n;
  while (left() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const recovered_ms = performance.now() - begun;
  await box.close();
  return {
    openLeases: (leases as { n: number }).n,
    unapplied,
    open_ms: Math.round(open_ms),
    recovered_ms: Math.round(recovered_ms),
  };
}

/** Lines of an import a second, from bytes to outcomes, each durable. */
export async function importing(
  box: Signalbox,
  lines: number,
): Promise<{ lines: number; linesPerSecond: number }> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let line = 0; line < lines; line += 100) {
      const texts = Array.from({ length: 100 }, (_, n) =>
        JSON.stringify({
          workId: `import-${line + n}`,
          title: `Line ${line + n}`,
          input: { line: line + n },
        }),
      );
      yield await Promise.resolve(Buffer.from(`${texts.join('\n')}\n`));
    }
  }
  let created = 0;
  const elapsed_ms = await timed(async () => {
    for await (const outcome of box.as('otto').importWorks(readImport('jsonl', bytes(), { kind: 'generic' })))
      if (outcome.outcome === 'created') created += 1;
  });
  if (created !== lines) throw new Error(`${created} of ${lines} lines were created`);
  return { lines, linesPerSecond: Math.round((lines / elapsed_ms) * 1000) };
}

export interface Soak {
  readonly minutes: number;
  readonly works: number;
  /** Resident memory and live heap after a collection, in MiB: median of the second and of the last fifth of the time. */
  readonly early: { readonly rss_mib: number; readonly heap_mib: number };
  readonly late: { readonly rss_mib: number; readonly heap_mib: number };
}

const SAMPLE_ms = 2_000;

/** Lifecycles, eight at a time, for some minutes. Needs `node --expose-gc`, so that what is left is what is kept. */
export async function soak(box: Signalbox, minutes: number): Promise<Soak> {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) throw new Error('run with --expose-gc');
  const until = performance.now() + minutes * 60_000;
  const samples: { rss: number; heap: number }[] = [];
  let works = 0;
  const sampling = setInterval(() => {
    collect();
    const { rss, heapUsed } = process.memoryUsage();
    samples.push({ rss, heap: heapUsed });
  }, SAMPLE_ms);
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (performance.now() < until) await lifecycle(box, `soak-${Date.now()}-${(works += 1)}`);
    }),
  );
  clearInterval(sampling);
  const fifth = Math.floor(samples.length / 5);
  const middle = (part: typeof samples) => {
    const median = (values: number[]): number =>
      rounded((values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0) / 1_048_576);
    return { rss_mib: median(part.map(({ rss }) => rss)), heap_mib: median(part.map(({ heap }) => heap)) };
  };
  return {
    minutes,
    works,
    early: middle(samples.slice(fifth, 2 * fifth)),
    late: middle(samples.slice(-fifth)),
  };
}
