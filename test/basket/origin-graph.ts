import { appendFile } from 'node:fs/promises';
import { Annotation, END, START, StateGraph, interrupt } from '@langchain/langgraph';

/** An AI of somebody else's: it asks people before it orders, and orders when its thread is resumed. */
const State = Annotation.Root({ order: Annotation<string>(), decisionId: Annotation<string>() });

export const graph = new StateGraph(State)
  .addNode('ask', ({ order }) => {
    const { decisionId } = interrupt<unknown, { decisionId: string }>({
      order,
      question: 'is the price right?',
    });
    return { decisionId };
  })
  .addNode('place', async ({ order, decisionId }) => {
    await appendFile(process.env['ORDERS_FILE'] ?? '', `${order} ${decisionId}\n`);
    return {};
  })
  .addEdge(START, 'ask')
  .addEdge('ask', 'place')
  .addEdge('place', END)
  .compile();
