import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LIMITS } from '../core/limits.js';
import { isBusy, openingFailed, transactionFailed } from './sqlite-failures.js';
import { damageOf } from './sqlite-integrity.js';
import { rowsOf } from './sqlite-rows.js';
import { SqliteSignals } from './sqlite-signals.js';
import { fixed, type Result, type SqlValue, type Statement, type Tx } from './sql.js';
import { StoreError, type Dialect, type Store } from './store.js';

const SQLITE: Dialect = {
  name: 'sqlite',
  forUpdate: fixed(''),
  skipLocked: fixed(''),
  size: fixed(
    'SELECT page_count * page_size AS bytes, freelist_count * page_size AS free_bytes FROM pragma_page_count, pragma_page_size, pragma_freelist_count',
  ),
};

interface Job {
  /** @returns false when it failed and has left changes behind. @throws when the transaction ended with it */
  run(): boolean;
  settle(commitError: unknown): void;
}

/**
 * The SQLite back end: one connection, one writer per process. Writes that arrive while one is under way are
 * committed together, and nobody is answered before the commit is on disk.
 */
export class SqliteStore implements Store {
  readonly dialect = SQLITE;
  readonly connection: Database.Database;
  private queue: Job[] = [];
  private scheduled = false;
  private closed = false;
  /** Whether the job that runs has sent a statement that changes something. */
  private wrote = false;
  private readonly signals = new SqliteSignals(() => this.dataVersion());
  private readonly prepared = new Map<string, Database.Statement>();
  private readonly rendered = new WeakMap<readonly string[], Database.Statement>();

  /** Since when another process has kept this one from writing. */
  private busySince_ms: number | null = null;

  /**
   * @param busy_ms how long a write waits for another process that writes
   * @throws StoreError when the file cannot be opened or is not a database
   */
  constructor(
    file: string,
    private readonly busy_ms: number = LIMITS.sqliteBusy_ms,
  ) {
    let opened: Database.Database | undefined;
    try {
      opened = new Database(file, { timeout: busy_ms });
      this.connection = opened;
      this.connection.pragma('journal_mode = WAL');
      // An acknowledged answer must survive a power cut, so every commit is synced (WAL alone would lose the tail).
      this.connection.pragma('synchronous = FULL');
      this.connection.pragma('foreign_keys = ON');
      this.connection.pragma('cache_size = -65536');
      // Pages that many works change (index roots, tails) are copied back once for many commits.
      this.connection.pragma(`wal_autocheckpoint = ${LIMITS.sqliteWal_pages}`);
      // What SQLite keeps to undo part of a transaction is gone with the process anyway, so it needs no file.
      this.connection.pragma('temp_store = MEMORY');
    } catch (error) {
      opened?.close();
      throw openingFailed(file, error);
    }
  }

  read<T>(work: () => Tx<T>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreError('the store is closed'));
    return new Promise((resolve, reject) => {
      try {
        // A deferred transaction gives all statements of one read the same snapshot.
        this.exec('BEGIN');
        try {
          resolve(this.drive(work()));
        } finally {
          this.exec('COMMIT');
        }
      } catch (error) {
        reject(transactionFailed(this.connection.name, error));
      }
    });
  }

  write<T>(work: () => Tx<T>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreError('the store is closed'));
    return new Promise((resolve, reject) => {
      let outcome: { value: T } | { error: unknown };
      this.queue.push({
        run: () => {
          this.wrote = false;
          try {
            outcome = { value: this.drive(work()) };
            return true;
          } catch (error) {
            outcome = { error };
            // A full disk ends the whole transaction, and all of its senders are told why.
            if (!this.connection.inTransaction) throw error;
            return !this.wrote;
          }
        },
        settle: (commitError) => {
          if (commitError !== undefined) reject(transactionFailed(this.connection.name, commitError));
          else if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.value);
        },
      });
      this.schedule();
    });
  }

  /** One writer at a time: whatever can be read has nothing before it that is still to come. */
  settledPosition(): Promise<number> {
    return Promise.resolve(Number.MAX_SAFE_INTEGER);
  }

  onWritten(listener: () => void): () => void {
    return this.signals.listen(listener);
  }

  damage(): Promise<readonly string[]> {
    return damageOf(this.connection.name);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (this.flush(); this.queue.length > 0; this.flush()) await sleep(LIMITS.sqliteRetry_ms);
    this.signals.close();
    this.connection.close();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.scheduledFlush());
  }

  private scheduledFlush(): void {
    this.scheduled = false;
    this.flush();
  }

  private flush(): void {
    while (this.queue.length > 0) {
      let failure: unknown;
      try {
        if (!this.begins()) {
          if (!this.scheduled) setTimeout(() => this.scheduledFlush(), LIMITS.sqliteRetry_ms);
          this.scheduled = true;
          return;
        }
      } catch (error) {
        failure = error;
      }
      const batch = this.queue.splice(0, LIMITS.groupCommit_jobs);
      try {
        if (failure === undefined && !this.together(batch)) this.apart(batch);
      } catch (error) {
        failure = error;
        this.abandon();
      }
      for (const job of batch) job.settle(failure);
      if (failure === undefined) this.signals.written();
    }
  }

  /**
   * Begins a transaction, or tells that another process is at one. SQLite's own waiting would hold up everything else
   * here, and looks again ever more seldom, so that processes that share a file leave each other's gaps unused.
   * @throws SQLITE_BUSY when that takes longer than a write may wait
   */
  private begins(): boolean {
    this.waitsUpTo(0);
    try {
      this.exec('BEGIN IMMEDIATE');
    } catch (error) {
      const now_ms = performance.now();
      this.busySince_ms ??= now_ms;
      if (isBusy(error) && now_ms - this.busySince_ms < this.busy_ms) return false;
      this.busySince_ms = null;
      throw error;
    } finally {
      this.waitsUpTo(this.busy_ms);
    }
    this.busySince_ms = null;
    return true;
  }

  /**
   * Commits the jobs as one, without a savepoint for each: for every savepoint SQLite copies each page that changes
   * after it, which cost as much as the changes themselves, and a job that fails has seldom changed anything before.
   * @returns false when one of them did, and nothing was committed
   */
  private together(batch: readonly Job[]): boolean {
    for (const job of batch) {
      if (job.run()) continue;
      this.exec('ROLLBACK');
      return false;
    }
    this.exec('COMMIT');
    return true;
  }

  /** Commits the jobs as one, each in its savepoint, so that those that fail leave nothing behind. */
  private apart(batch: readonly Job[]): void {
    this.exec('BEGIN IMMEDIATE');
    for (const job of batch) {
      this.exec('SAVEPOINT job');
      if (!job.run()) this.exec('ROLLBACK TO job');
      this.exec('RELEASE job');
    }
    this.exec('COMMIT');
  }

  /** Ends a failed transaction. SQLite may have ended it itself (disk full, I/O error), so a failure here says nothing new. */
  private abandon(): void {
    try {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
    } catch {
      // The batch's own error is what its senders are told.
    }
  }

  private drive<T>(work: Tx<T>): T {
    let step = work.next();
    while (!step.done) {
      let result: Result;
      try {
        result = this.execute(step.value);
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(result);
    }
    return step.value;
  }

  private execute(statement: Statement): Result {
    const compiled = this.compile(statement);
    const values = statement.values as SqlValue[];
    if (!compiled.readonly) this.wrote = true;
    if (compiled.reader) return { rows: rowsOf(compiled, values), changes: 0 };
    return { rows: [], changes: compiled.run(...values).changes };
  }

  private compile(statement: Statement): Database.Statement {
    let compiled = this.rendered.get(statement.parts);
    if (!compiled) {
      compiled = this.statementFor(statement.parts.join('?'));
      this.rendered.set(statement.parts, compiled);
    }
    return compiled;
  }

  private statementFor(text: string): Database.Statement {
    let statement = this.prepared.get(text);
    if (!statement) {
      statement = this.connection.prepare(text);
      this.prepared.set(text, statement);
    }
    return statement;
  }

  private waitsUpTo(busy_ms: number): void {
    this.statementFor(`PRAGMA busy_timeout = ${busy_ms}`).get();
  }

  /** Changes with every commit of another connection to the file. */
  private dataVersion(): number {
    return (this.statementFor('PRAGMA data_version').get() as { data_version: number }).data_version;
  }

  private exec(text: string): void {
    this.statementFor(text).run();
  }
}
