import type { DeskCheckpoints } from './checkpoints.js';
import { sqliteCheckpoints } from './checkpoints-sqlite.js';
import { migrateSqlite } from './migrate-sqlite.js';
import { SqliteAnchor } from './sqlite-anchor.js';
import { openingFailed } from './sqlite-failures.js';
import { SqliteStore } from './sqlite.js';
import { StoreError, type Store } from './store.js';

/** A database that holds the ledger and, in the same transactions, LangGraph's checkpoints. */
export interface Ledger {
  readonly store: Store;
  readonly checkpoints: DeskCheckpoints;
}

/** @throws StoreError when the file cannot be opened, is no database, has lost what was acknowledged, or was written by a newer program */
export function openSqliteLedger(file: string): Ledger {
  const store = new SqliteStore(file);
  try {
    const checkpoints = sqliteCheckpoints(store);
    migrateSqlite(store);
    const anchor = new SqliteAnchor(store);
    anchor.check();
    anchor.follow();
    return { store, checkpoints };
  } catch (error) {
    store.connection.close();
    throw openingFailed(file, error);
  }
}

/** @throws StoreError when the server cannot be reached, is a replica, loses what it acknowledged, or holds a newer schema */
export async function openPostgresLedger(url: string): Promise<Ledger> {
  // Only who has such a database waits for its driver to load.
  const [{ postgresCheckpoints }, { migratePostgres }, { PostgresStore }] = await Promise.all([
    import('./checkpoints-postgres.js'),
    import('./migrate-postgres.js'),
    import('./postgres.js'),
  ]);
  const store = new PostgresStore(url);
  try {
    const { rows } = await store.persist((client) =>
      client.query<{ schema: string | null }>('SELECT current_schema() AS schema'),
    );
    const checkpoints = postgresCheckpoints(store, rows[0]?.schema ?? 'public');
    await migratePostgres(store, () => checkpoints.setup());
    return { store, checkpoints: { ...checkpoints, langGraph: () => Promise.resolve(checkpoints) } };
  } catch (error) {
    await store.close();
    if (error instanceof StoreError) throw error;
    throw new StoreError(`cannot open the database: ${(error as Error).message}`, { cause: error });
  }
}
