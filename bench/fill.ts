import { openSignalbox } from '../src/index.js';
import { prune } from '../src/operations/prune.js';
import type { SqliteStore } from '../src/ledger/sqlite.js';
import { Cloner, type Shift } from './fill-clones.js';
import { BENCH_KIND, livesOf, type Life } from './fill-lives.js';

/** Works written in one transaction. */
const BATCH = 1_000;
const DAY_ms = 24 * 3_600_000;

export interface Filled {
  readonly works: number;
  readonly open: number;
  readonly lives: Readonly<Record<string, number>>;
  readonly elapsed_ms: number;
}

/**
 * Fills a SQLite store with works of every stage: one of each is lived through the doors, the others are written as
 * rows after its example. Ended works are pruned as `signalbox prune` does it: of their threads the last checkpoint
 * is left. They ended over the last 60 days; the open ones came over the last ten.
 */
export async function fill(
  folder: string,
  { works, open }: { works: number; open: number },
): Promise<Filled> {
  const began_ms = performance.now();
  let now_ms = Date.now() - 3_600_000;
  const box = await openSignalbox({
    dataDir: folder,
    kinds: [BENCH_KIND],
    recover: false,
    now_ms: () => now_ms,
  });
  const lives: Record<string, number> = {};
  try {
    const { connection } = box.desk.store as SqliteStore;
    connection.pragma('synchronous = OFF');
    connection.pragma('foreign_keys = OFF');
    connection.pragma('cache_size = -1000000');
    const random = seeded(1);
    for (const life of await livesOf(box, (by_ms) => (now_ms += by_ms))) {
      const from_ms = now_ms;
      const workId = await life.live();
      if (life.of === 'ended') {
        const { status } = await box.as('owner').show(workId);
        if (status !== 'DONE' && status !== 'CANCELLED') throw new Error(`${workId} stands at ${status}`);
        await prune(box.desk, { tenant: 'default', principal: 'owner' }, 0);
      }
      const cloner = new Cloner(connection, 'default', workId);
      const wanted = Math.round(life.share * (life.of === 'ended' ? works - open : open));
      lives[life.name] = wanted;
      const write = connection.transaction((first: number) => {
        for (let number = first; number < Math.min(first + BATCH, wanted); number += 1)
          cloner.write(number, shiftOf(life, from_ms, random));
      });
      // The one that was lived is one of them.
      for (let first = 1; first < wanted; first += BATCH) {
        write(first);
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.stderr.write(`  ${life.name}: ${wanted}\n`);
    }
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    await box.close();
  }
  return { works, open, lives, elapsed_ms: Math.round(performance.now() - began_ms) };
}

/** Open works keep the pace of the one that was lived, so that their leases and questions stay open. */
function shiftOf(life: Life, from_ms: number, random: () => number): Shift {
  if (life.of === 'ended')
    return {
      from_ms,
      to_ms: from_ms - Math.floor((1 + random() * 59) * DAY_ms),
      pace: 2 ** (random() * 10 - 3),
    };
  const age_ms = life.name.includes('held') ? DAY_ms : 10 * DAY_ms;
  return { from_ms, to_ms: from_ms - Math.floor(random() * age_ms), pace: 1 };
}

/** The same numbers at every run: a filled store can be made again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
