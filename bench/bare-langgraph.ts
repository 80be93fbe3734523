import Database from 'better-sqlite3';
import { Annotation, Command, END, START, StateGraph, interrupt } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Contestant, Lifecycle } from './measure.js';

const State = Annotation.Root({
  input: Annotation<unknown>(),
  result: Annotation<unknown>(),
  verdict: Annotation<unknown>(),
});

function twoWaits() {
  return new StateGraph(State)
    .addNode('work', (state) => ({ result: interrupt({ waitsFor: 'a result', input: state.input }) }))
    .addNode('review', (state) => ({ verdict: interrupt({ waitsFor: 'a verdict', result: state.result }) }))
    .addEdge(START, 'work')
    .addEdge('work', 'review')
    .addEdge('review', END);
}

/**
 * The same job on LangGraph alone: a graph with two waits, a result of the same size, a verdict. No guard, no receipts,
 * no history, no second waits for promotion, claim and completion.
 */
export function bareLangGraph(synchronous: 'NORMAL' | 'FULL', durability: 'async' | 'exit'): Contestant {
  return {
    name: `bare LangGraph, SqliteSaver, synchronous=${synchronous}, durability ${durability}`,
    open(folder) {
      const connection = new Database(`${folder}/bare.db`);
      const saver = new SqliteSaver(connection);
      (saver as unknown as { setup(): void }).setup();
      connection.pragma(`synchronous = ${synchronous}`);
      const graph = twoWaits().compile({ checkpointer: saver });
      const life: Lifecycle = async (id, payload, timed) => {
        const config = { configurable: { thread_id: id }, durability };
        await graph.invoke({ input: { id } }, config);
        await timed('submit', () => graph.invoke(new Command({ resume: payload }), config));
        await timed('review', () => graph.invoke(new Command({ resume: 'PASS' }), config));
      };
      return Promise.resolve({
        life,
        settle: () => {
          connection.pragma('wal_checkpoint(TRUNCATE)');
          return Promise.resolve();
        },
        close: () => {
          connection.close();
          return Promise.resolve();
        },
      });
    },
  };
}
