import type { SqliteStore } from './sqlite.js';
import { POSITION_KEY, SCHEMA_1, SQLITE_GUARDS_1 } from './schema.js';
import { SCHEMA_2, SQLITE_COUNTS_2 } from './schema-2.js';
import { StoreError } from './store.js';

/** Numbered and frozen: a released entry is never edited, only followed. */
const MIGRATIONS: readonly string[] = [
  SCHEMA_1.replace(POSITION_KEY, 'INTEGER PRIMARY KEY AUTOINCREMENT') + SQLITE_GUARDS_1,
  SCHEMA_2 + SQLITE_COUNTS_2,
];

/**
 * Brings a file up to this program's schema, in one transaction.
 * @throws StoreError when the file was written by a newer program, which this one might misread
 */
export function migrateSqlite(store: SqliteStore): void {
  const { connection } = store;
  connection
    .transaction(() => {
      const found = connection.pragma('user_version', { simple: true }) as number;
      if (found > MIGRATIONS.length) {
        throw new StoreError(
          `this data was written by a newer Signalbox (schema ${found}, this program knows ${MIGRATIONS.length}); upgrade the program`,
        );
      }
      for (const migration of MIGRATIONS.slice(found)) connection.exec(migration);
      if (found < MIGRATIONS.length) connection.pragma(`user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}
