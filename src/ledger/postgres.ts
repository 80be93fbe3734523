import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { CommitUnknown, lifeOf, outcomeOfCommit, type ServerLife } from './postgres-commit.js';
import { failureOf, NotPrimary } from './postgres-failures.js';
import { PostgresSignals } from './postgres-signals.js';
import { PostgresTalk, Statements, drive } from './postgres-talk.js';
import { fixed, type Tx } from './sql.js';
import { StoreError, type Dialect, type Store } from './store.js';

const POSTGRES: Dialect = {
  name: 'postgres',
  forUpdate: fixed('FOR UPDATE'),
  skipLocked: fixed('FOR UPDATE SKIP LOCKED'),
  size: fixed('SELECT pg_database_size(current_database()) AS bytes, NULL AS free_bytes'),
};

const BEGIN_READING = fixed('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
const BEGIN_WRITING = fixed('BEGIN ISOLATION LEVEL READ COMMITTED');
const ITS_ID = fixed('SELECT pg_current_xact_id()::text AS xid');
const COMMIT = fixed('COMMIT');

/** int8 and numeric as numbers: every such column is a count, a version or a time in ms, far below 2^53. */
const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];
const types = new pg.TypeOverrides();
for (const type of NUMBERS) types.setTypeParser(type, Number);

/**
 * The PostgreSQL back end, for any number of processes. Transactions are READ COMMITTED: a transaction that decides
 * about a work locks its row first, so everything read afterwards is what the last one left; unique indexes decide
 * between two that insert the same; both then run again. (docs/decisions/0028)
 */
export class PostgresStore implements Store {
  readonly dialect = POSTGRES;
  readonly pool: pg.Pool;
  private readonly signals: PostgresSignals;
  private readonly statements = new Statements(types);
  private settled: { readonly at_ms: number; readonly position: Promise<number> } | undefined;
  private closed = false;

  constructor(url: string) {
    this.pool = new pg.Pool({
      connectionString: url,
      application_name: 'signalbox',
      max: LIMITS.postgresPool,
      connectionTimeoutMillis: LIMITS.postgresConnect_ms,
      statement_timeout: LIMITS.postgresStatement_ms,
      lock_timeout: LIMITS.postgresLock_ms,
      idle_in_transaction_session_timeout: LIMITS.postgresIdleTransaction_ms,
      keepAlive: true,
      types,
      verify: (client, done) => void verify(client, done),
    });
    // A connection that breaks is replaced: idle, it is of no concern; in use, its statement tells whoever sent it.
    // Without a listener the connection's own report of it would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.signals = new PostgresSignals(url, this.pool);
  }

  read<T>(work: () => Tx<T>): Promise<T> {
    return this.persist(async (client) => {
      const talk = new PostgresTalk(client, this.statements);
      talk.later(BEGIN_READING);
      const value = await drive(talk, work());
      await talk.ask(COMMIT);
      return value;
    });
  }

  async write<T>(work: () => Tx<T>): Promise<T> {
    const value = await this.persist(async (client) => {
      const talk = new PostgresTalk(client, this.statements);
      let xid: string | undefined;
      talk.later(BEGIN_WRITING);
      // The transaction's ID is what its outcome can be asked by, should the connection break.
      talk.later(ITS_ID, ({ rows }) => {
        xid = (rows[0] as { xid: string }).xid;
      });
      const done = await drive(talk, work());
      if (xid === undefined) await talk.flush();
      await this.commit(client, talk, xid ?? '');
      return done;
    });
    this.signals.written();
    return value;
  }

  settledPosition(): Promise<number> {
    const now_ms = performance.now();
    if (!this.settled || now_ms - this.settled.at_ms > LIMITS.postgresSettled_ms) {
      const position = this.persist((client) => settledNow(client));
      const asked = { at_ms: now_ms, position };
      this.settled = asked;
      position.catch(() => {
        if (this.settled === asked) this.settled = undefined;
      });
    }
    return this.settled.position;
  }

  /** PostgreSQL checks its pages itself, where its checksums are on. */
  damage(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  onWritten(listener: () => void): () => void {
    return this.signals.listen(listener);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.signals.close();
    await this.pool.end();
  }

  /**
   * Runs something that leaves nothing behind when it fails, until it succeeds or its failure is its own.
   * @throws Refusal BUSY when the database stays away, or others stay in the way, for too long; nothing was changed then
   */
  persist<T>(attempt: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.retrying(() => this.once(attempt));
  }

  /** The same for what takes its connection from the pool itself. */
  async retrying<T>(attempt: () => Promise<T>): Promise<T> {
    const began_ms = performance.now();
    for (let tries = 1; ; tries += 1) {
      if (this.closed) throw new StoreError('the store is closed');
      try {
        return await attempt();
      } catch (error) {
        const failure = error instanceof CommitUnknown ? 'final' : failureOf(error);
        if (failure === 'final') throw toldError(error);
        const spent = failure === 'conflict' && tries > LIMITS.transactionRetries;
        if (spent || performance.now() - began_ms > LIMITS.databaseGone_ms) throw busy(error, failure);
        await sleep(pause_ms(tries));
      }
    }
  }

  private async once<T>(attempt: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      return await attempt(client);
    } catch (error) {
      broken = failureOf(error) === 'connection' || !(await rolledBack(client));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Commits, and where the answer to that is lost, finds out what became of it. */
  private async commit(client: pg.PoolClient, talk: PostgresTalk, xid: string): Promise<void> {
    let warning: string | undefined;
    const hear = (notice: { message?: string | undefined }): void => {
      warning = notice.message ?? 'the server warned';
    };
    client.on('notice', hear);
    try {
      const { command } = await talk.ask(COMMIT);
      // After a statement that failed, COMMIT succeeds as a ROLLBACK.
      if (command !== 'COMMIT') throw new Error('the transaction had failed and was rolled back');
      // It stands here, and no standby is known to have it: after a failover it might not.
      if (warning !== undefined) throw new CommitUnknown(`the server said "${warning}"`);
    } catch (error) {
      if (failureOf(error) !== 'connection') throw error;
      const outcome = await outcomeOfCommit(this.pool, xid, lives.get(client));
      if (outcome === 'aborted') throw error;
    } finally {
      client.off('notice', hear);
    }
  }
}

/** The life of its server that a connection is of. */
const lives = new WeakMap<object, ServerLife>();

async function verify(client: pg.PoolClient, done: (error?: Error) => void): Promise<void> {
  let refused: Error | undefined;
  try {
    await requirePrimary(client);
  } catch (error) {
    refused = error as Error;
  }
  done(refused);
}

async function requirePrimary(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ replica: boolean }>('SELECT pg_is_in_recovery() AS replica');
  if (rows[0]?.replica !== false)
    throw new NotPrimary('this server is a replica; the desk needs the primary');
  lives.set(client, await lifeOf(client));
}

/**
 * Every writer of history holds a lock that names a position below its own, from before it takes that until after its
 * rows can be seen. So what is below the least of these, and was given out before we looked, is there or never will be.
 */
async function settledNow(client: pg.PoolClient): Promise<number> {
  const given = await client.query<{ position: number }>(
    'SELECT last_value AS position FROM history_position',
  );
  const open = await client.query<{ position: number | null }>(`
    SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) AS position FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint >> 16) = 21314 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return Math.min(given.rows[0]?.position ?? 0, open.rows[0]?.position ?? Number.MAX_SAFE_INTEGER);
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

function pause_ms(tries: number): number {
  const full = Math.min(LIMITS.transactionPauseMax_ms, LIMITS.transactionPause_ms * 2 ** (tries - 1));
  return full * (0.5 + Math.random() / 2);
}

function busy(error: unknown, failure: 'conflict' | 'connection'): Refusal {
  const why = failure === 'conflict' ? 'others are changing the same' : 'the database cannot be reached';
  return new Refusal('BUSY', `${why} (${(error as Error).message}); nothing was changed`);
}

/** What a value can be that SQLite keeps and PostgreSQL does not: text with a NUL character. */
function toldError(error: unknown): unknown {
  return (error as { code?: unknown }).code === '22021'
    ? new Refusal('INVALID', 'text with a NUL character cannot be kept')
    : error;
}
