import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCluster } from '../../proof/storm/postgres-cluster.js';
import { PostgresStore } from '../../src/ledger/postgres.js';
import { run, sql } from '../../src/ledger/sql.js';

let folder: string;
let cluster: PostgresCluster;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-crash-in-commit-'));
  // Where root starts PostgreSQL, another user runs it, and must reach the folder.
  await chmod(folder, 0o755);
  cluster = await PostgresCluster.create(join(folder, 'postgres'));
  await cluster.query('CREATE TABLE kept (id TEXT PRIMARY KEY)');
}, 180_000);
afterAll(async () => {
  await cluster.remove();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** What the store sends in one round trip. */
interface Flight {
  readonly statements: readonly { readonly text: string }[];
}
const commits = (sent: unknown): boolean => (sent as Partial<Flight>).statements?.at(-1)?.text === 'COMMIT';

/** A store whose first commit meets `blow` on its way to the server. */
function struck(
  blow: (client: { query: (text: string) => Promise<unknown> }) => Promise<void>,
): PostgresStore {
  const store = new PostgresStore(cluster.url);
  let struckOnce = false;
  store.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    const sentOn = async (...given: unknown[]): Promise<unknown> => {
      struckOnce = true;
      await blow({ query: (text) => Promise.resolve(query(text)) });
      return await query(...given);
    };
    Object.assign(client, {
      query: (...given: unknown[]) => (commits(given[0]) && !struckOnce ? sentOn(...given) : query(...given)),
    });
  });
  return store;
}

const keep = (store: PostgresStore, id: string, began: () => void): Promise<number> =>
  store.write(function* () {
    began();
    return yield* run(sql`INSERT INTO kept (id) VALUES (${id})`);
  });

const isKept = async (id: string): Promise<boolean> =>
  (await cluster.query(`SELECT id FROM kept WHERE id = '${id}'`)).length > 0;

// A crash takes the transaction's ID along when nothing of it was on disk; the server gives the same ID out again.
describe('a server that crashes while a transaction commits', () => {
  it('and gives its ID to another one: it is not taken for that one, its sender is told that nobody knows', async () => {
    let xid = '';
    let next = '';
    const store = struck(async (client) => {
      const asked = (await client.query('SELECT pg_current_xact_id()::text AS xid')) as {
        rows: { xid: string }[];
      };
      xid = asked.rows[0]?.xid ?? '';
      await cluster.stop('immediate');
      await cluster.start();
      const other = await cluster.query<{ xid: string }>(
        "INSERT INTO kept (id) VALUES ('other') RETURNING pg_current_xact_id()::text AS xid",
      );
      next = other[0]?.xid ?? '';
    });
    let runs = 0;
    await expect(keep(store, 'mine', () => (runs += 1))).rejects.toThrow(/BUSY.*may or may not stand/);
    expect(next).toBe(xid);
    expect([runs, await isKept('mine'), await isKept('other')]).toEqual([1, false, true]);
    // Sent again, it is taken.
    await keep(store, 'mine', () => (runs += 1));
    expect([runs, await isKept('mine')]).toEqual([2, true]);
    await store.close();
  }, 60_000);

  it('and gives its ID to nobody yet: it is run again, at once', async () => {
    const store = struck(async () => {
      await cluster.stop('immediate');
      await cluster.start();
    });
    let runs = 0;
    const began_ms = performance.now();
    await keep(store, 'again', () => (runs += 1));
    expect([runs, await isKept('again')]).toEqual([2, true]);
    expect(performance.now() - began_ms).toBeLessThan(25_000);
    await store.close();
  }, 60_000);

  it('by the end of one of its processes, which its start time does not tell', async () => {
    const started = () => cluster.query('SELECT pg_postmaster_start_time()::text AS at');
    const before = await started();
    const store = struck(async () => {
      await cluster.killOneOfIts();
      await cluster.query("INSERT INTO kept (id) VALUES ('other one')");
    });
    let runs = 0;
    await expect(keep(store, 'mine too', () => (runs += 1))).rejects.toThrow(/may or may not stand/);
    expect([runs, await isKept('mine too'), await isKept('other one')]).toEqual([1, false, true]);
    expect(await started()).toEqual(before);
    await store.close();
  }, 60_000);

  it('is told from one that is stopped in order: that one knows what became of it', async () => {
    const store = struck(async () => {
      await cluster.stop('fast');
      await cluster.start();
      await cluster.query("INSERT INTO kept (id) VALUES ('meanwhile')");
    });
    let runs = 0;
    await keep(store, 'ordered', () => (runs += 1));
    expect([runs, await isKept('ordered')]).toEqual([2, true]);
    await store.close();
  }, 60_000);
});
