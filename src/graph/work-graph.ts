import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { ContentStore } from '../core/content.js';
import type { Kind } from '../core/kind.js';
import { intake } from '../nodes/intake.js';
import { standaloneWait, type StandaloneParts } from '../nodes/standalone-wait.js';
import { validateStandalone } from '../nodes/validate-standalone.js';
import { compileGraph, type CompiledWorkGraph } from './graph.js';
import { MemoryContent } from './memory-content.js';

export interface WorkGraphOptions {
  /** The kinds of work it knows. */
  readonly kinds: Iterable<Kind>;
  /** Where inputs and artifacts are; in memory when left out, and then gone with the process. */
  readonly artifacts?: ContentStore;
  /** Your own. Without one, LangGraph cannot wait; a server such as `langgraphjs dev` brings its own. */
  readonly checkpointer?: BaseCheckpointSaver;
}

/**
 * The work graph without a desk: started with `{request: {kind, workId, input}}`, resumed with the answers that each
 * wait shows. Its guard is the one inside the graph: it knows the checkpoint, but no principals, leases or receipts.
 */
export function workGraph(options: WorkGraphOptions): CompiledWorkGraph {
  const parts: StandaloneParts = {
    kinds: new Map([...options.kinds].map((kind) => [kind.name, kind])),
    content: options.artifacts ?? new MemoryContent(),
  };
  return compileGraph(
    {
      policyOf(name) {
        const kind = parts.kinds.get(name);
        if (!kind) throw new Error(`kind ${name} is not declared`);
        return kind;
      },
      validate: (position) => validateStandalone(parts, position),
      wait: standaloneWait(parts),
      intake: (request) => intake(request, parts),
    },
    options.checkpointer,
  );
}
