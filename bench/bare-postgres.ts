import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import type { Contestant } from './life.js';
import { twoWaits } from './two-waits.js';

/** LangGraph with its own PostgresSaver, as it comes. */
export const bareLangGraphOnPostgres: Contestant = {
  async open({ databaseUrl }) {
    if (databaseUrl === null) throw new Error('needs a database');
    const saver = PostgresSaver.fromConnString(databaseUrl);
    await saver.setup();
    return { life: twoWaits(saver, 'async'), close: () => saver.end() };
  },
};
