import { studioProject } from '../studio/project.js';
import type { CompiledWorkGraph } from './graph.js';

/** What langgraph.json names: the work graph for `langgraphjs dev` and LangGraph Studio. */
export async function graph(): Promise<CompiledWorkGraph> {
  return (await studioProject()).graph;
}
