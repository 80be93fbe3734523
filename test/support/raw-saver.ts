import { join } from 'node:path';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import pg from 'pg';
import { databaseOf, type DeskBox } from './desk-box.js';

/** LangGraph's own saver on a connection of its own to the desk's database: what any other program would use. */
export function rawSaver(desk: DeskBox): { saver: BaseCheckpointSaver; close(): Promise<void> } {
  const url = databaseOf(desk.dataDir);
  if (url === undefined) {
    const connection = new Database(join(desk.dataDir, 'signalbox.db'), { timeout: 5_000 });
    return {
      saver: new SqliteSaver(connection),
      close: () => {
        connection.close();
        return Promise.resolve();
      },
    };
  }
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  return { saver: new PostgresSaver(pool), close: () => pool.end() };
}
