import type { CompiledWorkGraph } from './graph/graph.js';
import { workGraph, type WorkGraphOptions } from './graph/work-graph.js';
import { SHIPPED_KINDS } from './kinds/load-config.js';

export type CreateWorkGraphOptions = Partial<WorkGraphOptions>;

/**
 * The work graph for a program of your own, over a checkpointer of your own: `createWorkGraph({checkpointer})`.
 * Kinds are the shipped ones unless given; contents live in memory unless `artifacts` is given.
 * It guards each wait, but authenticates nobody and keeps no leases or receipts: that is what a desk adds.
 */
export function createWorkGraph(options: CreateWorkGraphOptions = {}): CompiledWorkGraph {
  return workGraph({ ...options, kinds: options.kinds ?? SHIPPED_KINDS });
}
