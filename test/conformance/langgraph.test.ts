import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { getTupleTests, listTests, putTests } from '@langchain/langgraph-checkpoint-validation';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RUN_TOKEN, type Checkpoints } from '../../src/ledger/checkpoints.js';
import { openPostgresLedger, openSqliteLedger, type Ledger } from '../../src/ledger/open-ledger.js';
import { run } from '../../src/ledger/sql.js';
import { testDatabase } from '../support/postgres.js';

// The suite expects the test runner's functions as globals.
Object.assign(globalThis, {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it: Object.assign(allowingFence, { each: it.each.bind(it) }),
});

/** Tests of the suite that put two first checkpoints into one thread: a fork, which the desk's database refuses. */
const FORKING = [
  'should only store channel_values that have changed (based on newVersions)',
  'should migrate pending sends',
];

function allowingFence(title: string, test: () => Promise<void> | void, timeout_ms?: number): void {
  const guarded = FORKING.includes(title)
    ? async () => {
        const refused = await Promise.resolve(test()).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : 'not an error'),
        );
        if (refused !== undefined) expect(refused).toContain('checkpoints_no_fork');
      }
    : test;
  // oxlint-disable-next-line vitest/expect-expect -- LangGraph's tests assert for themselves
  it(title, guarded, timeout_ms);
}

/**
 * LangGraph's own conformance suite over the desk's saver. Its writes are captured by design and reach the database
 * with the ledger's, so each checkpoint is given a run of its own here that is committed at once; pending writes after
 * a checkpoint, which the desk never makes, are brought by LangGraph's saver. What the suite asks of `putWrites` and
 * `deleteThread` is left out: the desk's saver keeps the writes of a run's new head only, and deletes no thread.
 */
async function committing(
  { checkpoints, store }: Ledger,
  others: BaseCheckpointSaver,
): Promise<BaseCheckpointSaver> {
  const runs = await checkpoints.langGraph();
  const { saver } = runs;
  const within = async <T>(write: (token: string) => Promise<T>): Promise<T> => {
    const token = runs.open();
    const value = await write(token);
    const captured: Awaited<ReturnType<Checkpoints['take']>> = await runs.take(token);
    await store.write(() => captured.insert());
    return value;
  };
  const tokened = (config: Parameters<typeof saver.put>[0], token: string) => ({
    ...config,
    configurable: { ...config.configurable, [RUN_TOKEN]: token },
  });
  return new Proxy(saver, {
    get(target, name) {
      if (name === 'put')
        return (...[config, ...rest]: Parameters<typeof saver.put>) =>
          within((token) => target.put(tokened(config, token), ...rest));
      if (name === 'putWrites') return others.putWrites.bind(others);
      const member = Reflect.get(target, name, target) as unknown;
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

let made: {
  readonly ledger: Ledger;
  readonly others: BaseCheckpointSaver;
  readonly tables: readonly string[];
  remove(): Promise<void>;
};

beforeAll(async () => {
  if (process.env['SIGNALBOX_TEST_BACK_END'] === 'postgres') {
    const database = await testDatabase();
    const ledger = await openPostgresLedger(database.url);
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    const others = new PostgresSaver(pool);
    made = {
      ledger,
      others,
      tables: ['checkpoint_writes', 'checkpoint_blobs', 'checkpoints'],
      remove: () => pool.end().then(() => database.drop()),
    };
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-saver-'));
  const ledger = openSqliteLedger(join(folder, 'ledger.db'));
  const connection = new Database(join(folder, 'ledger.db'), { timeout: 5_000 });
  made = {
    ledger,
    others: new SqliteSaver(connection),
    tables: ['writes', 'checkpoints'],
    async remove() {
      connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}, 120_000);
afterAll(async () => {
  await made.ledger.store.close();
  await made.remove();
});

const initializer = {
  checkpointerName: "the desk's saver",
  createCheckpointer: () => committing(made.ledger, made.others),
  async destroyCheckpointer() {
    for (const table of made.tables) {
      await made.ledger.store.write(() => run({ parts: [`DELETE FROM ${table}`], values: [] }));
    }
  },
};
putTests(initializer);
getTupleTests(initializer);
listTests(initializer);
