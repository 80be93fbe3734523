import {
  Annotation,
  Command,
  END,
  START,
  StateGraph,
  interrupt,
  type BaseCheckpointSaver,
} from '@langchain/langgraph';
import type { Lifecycle } from './life.js';

const State = Annotation.Root({
  input: Annotation<unknown>(),
  result: Annotation<unknown>(),
  verdict: Annotation<unknown>(),
});

/**
 * The same job on LangGraph alone: a graph with two waits, a result of the same size, a verdict. No guard, no receipts,
 * no history, no second waits for promotion, claim and completion.
 */
export function twoWaits(checkpointer: BaseCheckpointSaver, durability: 'async' | 'exit'): Lifecycle {
  const graph = new StateGraph(State)
    .addNode('work', (state) => ({ result: interrupt({ waitsFor: 'a result', input: state.input }) }))
    .addNode('review', (state) => ({ verdict: interrupt({ waitsFor: 'a verdict', result: state.result }) }))
    .addEdge(START, 'work')
    .addEdge('work', 'review')
    .addEdge('review', END)
    .compile({ checkpointer });
  return async (id, payload, timed) => {
    const config = { configurable: { thread_id: id }, durability };
    await graph.invoke({ input: { id } }, config);
    await timed('submit', () => graph.invoke(new Command({ resume: payload }), config));
    await timed('review', () => graph.invoke(new Command({ resume: 'PASS' }), config));
  };
}
