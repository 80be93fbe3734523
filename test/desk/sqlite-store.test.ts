import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { all, run, sql, type Tx } from '../../src/ledger/sql.js';
import { SqliteStore } from '../../src/ledger/sqlite.js';

let folder: string;
let store: SqliteStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-store-'));
  store = new SqliteStore(join(folder, 'store.db'));
  store.connection.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY, CHECK (n >= 0))');
});
afterEach(async () => {
  await store.close().catch(() => undefined);
  await rm(folder, { recursive: true });
});

function* add(n: number): Tx<number> {
  yield* run(sql`INSERT INTO numbers (n) VALUES (${n})`);
  return n;
}
const numbers = () => store.read(() => all<{ n: number }>(sql`SELECT n FROM numbers ORDER BY n`));

describe('writes that are committed together', () => {
  it('fail one by one: what one throws takes nothing of the others along', async () => {
    const outcomes = await Promise.allSettled([1, 2, -1, 2, 3].map((n) => store.write(() => add(n))));
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(await numbers()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('leave nothing of a write that throws after its statements', async () => {
    const broken = store.write(function* () {
      yield* add(7);
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow('changed my mind');
    expect(await numbers()).toEqual([]);
  });

  it('are run again where one of them failed half way, and only that one leaves nothing', async () => {
    const runs: number[] = [];
    const counted = (n: number, fails: boolean) =>
      store.write(function* () {
        runs.push(n);
        yield* add(n);
        if (fails) throw new Error(`${n} failed half way`);
        return (yield* all<{ held: number }>(sql`SELECT count(*) AS held FROM numbers`))[0]?.held;
      });
    const outcomes = await Promise.allSettled([counted(1, false), counted(2, true), counted(3, false)]);
    expect(outcomes).toMatchObject([
      { value: 1 },
      { reason: { message: '2 failed half way' } },
      { value: 2 },
    ]);
    expect(await numbers()).toEqual([{ n: 1 }, { n: 3 }]);
    expect(runs).toEqual([1, 2, 1, 2, 3]);
  });

  it('let a write go on after a statement of it was refused, as its own code decides', async () => {
    const settled = await store.write(function* () {
      yield* add(1);
      try {
        yield* add(-1);
      } catch {
        return yield* add(2);
      }
      return 0;
    });
    expect(settled).toBe(2);
    expect(await numbers()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('are all refused when the commit fails, and none of them remains', async () => {
    store.connection.exec(`
      CREATE TABLE later (n INTEGER REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED)`);
    const outcomes = await Promise.allSettled([
      store.write(() => add(1)),
      store.write(() => run(sql`INSERT INTO later (n) VALUES (99)`)),
      store.write(() => add(2)),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await numbers()).toEqual([]);
    expect(await store.write(() => add(3))).toBe(3);
  });

  it('are all refused, and the store lives on, when the database ends the transaction by itself', async () => {
    store.connection.exec(`
      CREATE TRIGGER stop BEFORE INSERT ON numbers WHEN NEW.n = 13 BEGIN SELECT RAISE(ROLLBACK, 'disk full'); END`);
    const outcomes = await Promise.allSettled([1, 13, 2].map((n) => store.write(() => add(n))));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await store.write(() => add(4))).toBe(4);
    expect(await numbers()).toEqual([{ n: 4 }]);
  });
});

describe('a store', () => {
  it('says BUSY when another process writes for too long, and works once it is done', async () => {
    await store.close();
    store = new SqliteStore(join(folder, 'store.db'), 50);
    const other = new Database(join(folder, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    await expect(store.write(() => add(1))).rejects.toMatchObject({ name: 'Refusal', code: 'BUSY' });
    expect(await numbers()).toEqual([]);
    other.exec('COMMIT');
    other.close();
    expect(await store.write(() => add(1))).toBe(1);
  });

  it('reads, and keeps its turn in the event loop, while it waits for another process that writes', async () => {
    const other = new Database(join(folder, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    const written = store.write(() => add(1));
    const queued = store.write(() => add(2));
    for (let turn = 0; turn < 5; turn += 1) {
      await sleep(2);
      expect(await numbers()).toEqual([]);
    }
    other.exec('COMMIT');
    other.close();
    expect(await Promise.all([written, queued])).toEqual([1, 2]);
  });

  it('finishes what is queued when it is closed, also behind another process, and takes nothing more', async () => {
    const other = new Database(join(folder, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    const queued = store.write(() => add(1));
    const closed = store.close();
    await expect(store.write(() => add(2))).rejects.toThrow(/closed/);
    await sleep(5);
    other.exec('COMMIT');
    expect(await queued).toBe(1);
    await closed;
    expect(other.prepare('SELECT n FROM numbers').all()).toEqual([{ n: 1 }]);
    other.close();
  });

  it('finishes what is queued when it is closed, and takes nothing afterwards', async () => {
    const queued = [1, 2, 3].map((n) => store.write(() => add(n)));
    await store.close();
    expect(await Promise.all(queued)).toEqual([1, 2, 3]);
    await expect(store.write(() => add(4))).rejects.toThrow(/closed/);
    await expect(numbers()).rejects.toThrow(/closed/);
    const again = new Database(join(folder, 'store.db'));
    expect(again.prepare('SELECT count(*) AS count FROM numbers').get()).toEqual({ count: 3 });
    again.close();
  });

  it('gives one state to all statements of a read, whatever is written meanwhile', async () => {
    await store.write(() => add(1));
    const other = new Database(join(folder, 'store.db'));
    const counts = await store.read(function* () {
      const before = yield* all(sql`SELECT n FROM numbers`);
      other.exec('INSERT INTO numbers (n) VALUES (2)');
      const after = yield* all(sql`SELECT n FROM numbers`);
      return [before.length, after.length];
    });
    other.close();
    expect(counts).toEqual([1, 1]);
    expect(await numbers()).toHaveLength(2);
  });

  it('says so where the file is no database', async () => {
    const path = join(folder, 'text.db');
    await writeFile(path, 'this is no database, but it is long enough to be looked at as one. '.repeat(20));
    expect(() => new SqliteStore(path)).toThrow(/cannot open/);
  });
});
