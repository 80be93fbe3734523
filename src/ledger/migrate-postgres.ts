import type pg from 'pg';
import type { PostgresStore } from './postgres.js';
import { failureOf } from './postgres-failures.js';
import { POSTGRES_COUNTS_2, SCHEMA_2 } from './schema-2.js';
import { LOCK_TAG, POSTGRES_1 } from './schema-postgres.js';
import { StoreError } from './store.js';

/** Numbered and frozen: a released entry is never edited, only followed. */
const MIGRATIONS: readonly string[] = [
  POSTGRES_1,
  SCHEMA_2.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"') + POSTGRES_COUNTS_2,
];

/**
 * Brings a database up to this program's schema, one process at a time, in one transaction.
 * @param prepare creates LangGraph's own tables, which ours stand beside
 * @throws StoreError when the database was written by a newer program, or does not keep what it commits
 */
export async function migratePostgres(store: PostgresStore, prepare: () => Promise<void>): Promise<void> {
  try {
    await store.persist((client) => migrate(client, prepare));
  } catch (error) {
    if (error instanceof StoreError || failureOf(error) === 'conflict') throw error;
    throw new StoreError(`cannot open the database: ${(error as Error).message}`, { cause: error });
  }
}

async function migrate(client: pg.PoolClient, prepare: () => Promise<void>): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1, 0)', [LOCK_TAG]);
  try {
    await requireDurable(client);
    const found = await schemaVersion(client);
    if (found > MIGRATIONS.length) {
      throw new StoreError(
        `this data was written by a newer Signalbox (schema ${found}, this program knows ${MIGRATIONS.length}); upgrade the program`,
      );
    }
    await prepare();
    if (found === MIGRATIONS.length) return;
    await client.query('BEGIN');
    for (const migration of MIGRATIONS.slice(found)) await client.query(migration);
    await client.query(
      'CREATE TABLE IF NOT EXISTS signalbox_schema (version BIGINT PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())',
    );
    await client.query('INSERT INTO signalbox_schema (version) VALUES ($1)', [MIGRATIONS.length]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1, 0)', [LOCK_TAG]).catch(() => undefined);
  }
}

/** 0 for a database that was never used. */
async function schemaVersion(client: pg.PoolClient): Promise<number> {
  const table = await client.query<{ there: boolean }>(
    "SELECT to_regclass('signalbox_schema') IS NOT NULL AS there",
  );
  if (!table.rows[0]?.there) return 0;
  const version = await client.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM signalbox_schema',
  );
  return version.rows[0]?.version ?? 0;
}

/** What was acknowledged must survive a crash of the server. */
async function requireDurable(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ setting: string }>(
    "SELECT current_setting('synchronous_commit') AS setting",
  );
  if (rows[0]?.setting === 'off') {
    throw new StoreError(
      'synchronous_commit is off, so this server may lose what it has acknowledged; set it to on for this role or database',
    );
  }
}
