import Database from 'better-sqlite3';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Contestant } from './life.js';
import { twoWaits } from './two-waits.js';

/** LangGraph with its own SqliteSaver. `NORMAL` is what the saver comes with: a commit may be lost with the power. */
export const bareLangGraph = (synchronous: 'NORMAL' | 'FULL', durability: 'async' | 'exit'): Contestant => ({
  open({ folder }) {
    const connection = new Database(`${folder}/bare.db`);
    const saver = new SqliteSaver(connection);
    (saver as unknown as { setup(): void }).setup();
    connection.pragma(`synchronous = ${synchronous}`);
    return Promise.resolve({
      life: twoWaits(saver, durability),
      close: () => {
        connection.close();
        return Promise.resolve();
      },
    });
  },
});
