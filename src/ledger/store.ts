import type { Statement, Tx } from './sql.js';

/** What differs between the databases, as fragments, so that shared code never asks which one it runs on. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Appended to a SELECT of a row that this transaction will change. */
  readonly forUpdate: Statement;
  /** Appended to a SELECT of candidates of which another transaction's are to be passed over. */
  readonly skipLocked: Statement;
  /** Asks for `bytes` of the database on disk, and `free_bytes` of them that it will fill again before it grows. */
  readonly size: Statement;
}

/** A database. Drivers run the generators; everything above is written once. */
export interface Store {
  readonly dialect: Dialect;
  /** Runs reads that see one consistent state. */
  read<T>(work: () => Tx<T>): Promise<T>;
  /**
   * Runs one transaction. Resolves only after the commit is on disk; rejects with what the work threw (then
   * nothing of it remains). The work may be run again from its start, so it must not have effects of its own.
   */
  write<T>(work: () => Tx<T>): Promise<T>;
  /**
   * The position in history up to which nothing can appear any more: whoever has read that far has missed nothing.
   * Where several transactions write at once, a later position may be committed first. (docs/decisions/0029)
   */
  settledPosition(): Promise<number>;
  /**
   * Calls the listener soon after something was written, here or by another process where the back end can tell.
   * A hint that saves waiting, never a promise: whoever listens looks now and then all the same.
   * @returns what ends it
   */
  onWritten(listener: () => void): () => void;
  /** What the database itself finds wrong with its files; empty where it finds nothing, or has no such check. */
  damage(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opening failed for a reason the user can act on. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
