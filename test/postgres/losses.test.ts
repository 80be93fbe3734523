import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresStore } from '../../src/ledger/postgres.js';
import { all, run, send, sql } from '../../src/ledger/sql.js';
import { openSignalbox } from '../../src/index.js';
import { databaseOf, deskBox, faults, inReview, verdictOn, type DeskBox } from '../support/desk-box.js';
import { testDatabase, type TestDatabase } from '../support/postgres.js';

let database: TestDatabase;
let store: PostgresStore;
let admin: pg.Client;
beforeAll(async () => {
  database = await testDatabase();
  store = new PostgresStore(database.url);
  admin = new pg.Client({ connectionString: database.url });
  admin.on('error', () => undefined);
  await admin.connect();
  await admin.query('CREATE TABLE counted (id TEXT PRIMARY KEY, count BIGINT NOT NULL)');
}, 120_000);
afterAll(async () => {
  await admin.end();
  await store.close();
  await database.drop();
});

const countOf = async (id: string): Promise<number> =>
  Number((await admin.query('SELECT count FROM counted WHERE id = $1', [id])).rows[0]?.count ?? 0);

const counting = (id: string) =>
  run(
    sql`INSERT INTO counted (id, count) VALUES (${id}, 1) ON CONFLICT (id) DO UPDATE SET count = counted.count + 1`,
  );

/** What the store sends in one round trip. */
interface Flight {
  readonly statements: readonly { readonly text: string }[];
  handleReadyForQuery: () => void;
  handleError: (error: Error) => void;
}
const commits = (sent: unknown): sent is Flight =>
  (sent as Partial<Flight>).statements?.at(-1)?.text === 'COMMIT';

describe('a transaction whose connection is lost', () => {
  it('before its commit is run again, and counts once', async () => {
    let runs = 0;
    await store.write(function* () {
      runs += 1;
      yield* counting('before');
      if (runs === 1) yield* run(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
    });
    expect(runs).toBe(2);
    expect(await countOf('before')).toBe(1);
  });

  it('while it commits is looked up by its ID, and is not run again when it stands', async () => {
    const lost = new PostgresStore(database.url);
    let cuts = 0;
    // The commit reaches the server and its answer does not come back.
    lost.pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      const cut = (sent: Flight): void => {
        cuts += 1;
        sent.handleReadyForQuery = () =>
          sent.handleError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
      };
      Object.assign(client, {
        query: (...given: unknown[]) => {
          if (commits(given[0])) cut(given[0]);
          return query(...given);
        },
      });
    });
    let runs = 0;
    await lost.write(function* () {
      runs += 1;
      yield* counting('stands');
    });
    await lost.close();
    expect([runs, cuts]).toEqual([1, 1]);
    expect(await countOf('stands')).toBe(1);
  });

  it('while it commits is run again when the commit never arrived', async () => {
    const lost = new PostgresStore(database.url);
    let cuts = 0;
    lost.pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      Object.assign(client, {
        query: async (...given: unknown[]) => {
          if (commits(given[0]) && (cuts += 1) === 1) {
            // The server loses the connection before the COMMIT reaches it.
            await Promise.resolve(query('SELECT pg_terminate_backend(pg_backend_pid())')).catch(
              () => undefined,
            );
          }
          return await query(...given);
        },
      });
    });
    let runs = 0;
    await lost.write(function* () {
      runs += 1;
      yield* counting('lost');
    });
    await lost.close();
    expect(runs).toBe(2);
    expect(await countOf('lost')).toBe(1);
  });

  it('by a deadlock is run again: both of two that wait for each other succeed', async () => {
    await store.write(function* () {
      yield* counting('one');
      yield* counting('other');
    });
    const both = (first: string, second: string) =>
      store.write(function* () {
        yield* counting(first);
        yield* run(sql`SELECT pg_sleep(0.2)`);
        yield* counting(second);
      });
    await Promise.all([both('one', 'other'), both('other', 'one')]);
    expect([await countOf('one'), await countOf('other')]).toEqual([3, 3]);
  });

  it('is not committed when what nobody waited for fails beside the commit, and is run again where another was faster', async () => {
    await admin.query("INSERT INTO counted (id, count) VALUES ('taken', 5)");
    let runs = 0;
    await store.write(function* () {
      runs += 1;
      yield* counting('beside');
      const id = runs === 1 ? 'taken' : 'free';
      yield* send(sql`INSERT INTO counted (id, count) VALUES (${id}, 1)`);
    });
    expect(runs).toBe(2);
    expect([await countOf('taken'), await countOf('free'), await countOf('beside')]).toEqual([5, 1, 1]);
    const broken = store.write(function* () {
      yield* counting('beside');
      yield* send(sql`INSERT INTO counted (id, count) VALUES ('bad', 1 / 0)`);
      yield* counting('beside');
    });
    await expect(broken).rejects.toThrow(/division by zero/);
    expect(await countOf('beside')).toBe(1);
  });

  it('learns a statement anew that failed when it was first planned on its connection', async () => {
    const single = new PostgresStore(database.url);
    const found = (id: string) =>
      single.read(() => all(sql`SELECT count / (count - 1) AS n FROM counted WHERE id = ${id}`));
    const missing = () => single.read(() => all(sql`SELECT nothing FROM not_yet_there`));
    await expect(missing()).rejects.toThrow(/not_yet_there/);
    await admin.query('CREATE TABLE not_yet_there AS SELECT 7 AS nothing');
    expect(await missing()).toEqual([{ nothing: 7 }]);
    await admin.query("INSERT INTO counted (id, count) VALUES ('single', 1), ('pair', 2)");
    await expect(found('single')).rejects.toThrow(/division by zero/);
    expect(await found('pair')).toEqual([{ n: 2 }]);
    await single.close();
  });

  it('is never reported as done when one of its statements failed unseen', async () => {
    const swallowing = store.write(function* () {
      try {
        yield* run(sql`SELECT 1 / 0`);
      } catch {
        // as careless code would
      }
    });
    await expect(swallowing).rejects.toThrow(/rolled back/);
  });
});

describe('a desk whose connections are cut again and again', () => {
  let desk: DeskBox;
  beforeAll(async () => {
    desk = await deskBox({ recover: false });
  }, 120_000);
  afterAll(() => desk.close());

  it('goes on: every answer is accepted once and applied once', async () => {
    const url = databaseOf(desk.dataDir) ?? '';
    const cutter = new pg.Client({ connectionString: url });
    cutter.on('error', () => undefined);
    await cutter.connect();
    const cutting = setInterval(() => {
      cutter
        .query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
        .catch(() => undefined);
    }, 150);
    const works = Array.from({ length: 6 }, async (_, index) => {
      const work = await inReview(desk, `cut-${index}`);
      return (await desk.as('rita').review(work.workId, verdictOn(work, 'PASS'))).work;
    });
    const done = await Promise.all(works).finally(() => clearInterval(cutting));
    await cutter.end();
    expect(done.map((work) => work.status)).toEqual(done.map(() => 'MERGE_READY'));
    expect(await faults(desk)).toEqual([]);
  }, 120_000);
});

describe('a database', () => {
  it('written by a newer program is refused, and left as it is', async () => {
    const newer = await testDatabase();
    const place = { databaseUrl: newer.url, dataDir: `${process.env['SIGNALBOX_TEST_RUN'] ?? ''}/newer` };
    await (await openSignalbox(place)).close();
    const client = new pg.Client({ connectionString: newer.url });
    await client.connect();
    await client.query('INSERT INTO signalbox_schema (version) VALUES (99)');
    await client.end();
    await expect(openSignalbox(place)).rejects.toThrow(/newer Signalbox/);
    await newer.drop();
  }, 60_000);

  it('that may lose what it acknowledged is refused', async () => {
    const careless = await testDatabase();
    const client = new pg.Client({ connectionString: careless.url });
    await client.connect();
    await client.query(
      `ALTER DATABASE ${new URL(careless.url).pathname.slice(1)} SET synchronous_commit = off`,
    );
    await client.end();
    const place = {
      databaseUrl: careless.url,
      dataDir: `${process.env['SIGNALBOX_TEST_RUN'] ?? ''}/careless`,
    };
    await expect(openSignalbox(place)).rejects.toThrow(/synchronous_commit is off/);
    await careless.drop();
  }, 60_000);

  it('is opened by several processes at once, and set up by one', async () => {
    const fresh = await testDatabase();
    const place = (index: number) => ({
      databaseUrl: fresh.url,
      dataDir: `${process.env['SIGNALBOX_TEST_RUN'] ?? ''}/fresh-${index}`,
    });
    const boxes = await Promise.all([0, 1, 2].map((index) => openSignalbox(place(index))));
    const tenants = await Promise.all(boxes.map((box) => box.as('owner').listPrincipals()));
    expect(tenants[1]).toEqual(tenants[0]);
    await Promise.all(boxes.map((box) => box.close()));
    await fresh.drop();
  }, 60_000);
});
