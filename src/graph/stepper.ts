import { advance, type Answer } from '../core/advance.js';
import type { ThreadHead, ThreadStep } from '../core/thread.js';
import { isTerminal, type Position } from '../core/work.js';
import { answerSchemaJson, requireFits, type AddressedAnswer } from '../nodes/answer-schema.js';
import { waitRequest, type Wait } from '../nodes/waiting.js';
import { checkpointId } from './checkpoint-id.js';
import type { GraphPorts } from './graph.js';
import { RUNS_BY_ITSELF, nodesByStatus, type LiveStatus } from './nodes-by-status.js';
import { firstStep, nextStep, type Hop, type NewId } from './thread-step.js';

/** What a resume of a work's thread carries. */
export type Resume = AddressedAnswer & { readonly answer: Answer };

/**
 * Runs the nodes of the work graph along its edges, one answer at a time, and gives the checkpoint that LangGraph
 * would have written. The graph's own nodes run; what is left out is LangGraph's scheduler, which has nothing to
 * schedule where one node follows another. (docs/decisions/0085)
 */
export class Stepper {
  private readonly nodes: ReturnType<typeof nodesByStatus>;

  constructor(
    private readonly ports: Pick<GraphPorts, 'policyOf' | 'validate'>,
    private readonly newId: NewId = checkpointId,
  ) {
    this.nodes = nodesByStatus(ports.validate);
  }

  /** The first step of a thread. */
  begin(position: Position): ThreadStep {
    return firstStep(position, this.asks, this.newId);
  }

  /**
   * The step that an answer leads to, where every node on the way waits for somebody.
   * @returns null where a node works by itself: then `run` has to be awaited
   * @throws Error when the answer does not fit the wait; the thread stays as it is
   */
  step(head: ThreadHead, resume: Resume): ThreadStep | null {
    const hop = this.answered(head.position, resume);
    return hop.to.status === RUNS_BY_ITSELF ? null : nextStep(head, [hop], this.asks, this.newId);
  }

  /** As `step`, with the nodes that work by themselves. @throws what those throw */
  async run(head: ThreadHead, resume: Resume): Promise<ThreadStep> {
    const hops = [this.answered(head.position, resume)];
    for (let at = hops[0]?.to; at?.status === RUNS_BY_ITSELF; at = hops.at(-1)?.to) {
      const node = this.nodes[RUNS_BY_ITSELF as LiveStatus];
      hops.push({ from: at.status, to: await node(at, this.ports.policyOf(at.kind), neverWaits) });
    }
    return nextStep(head, hops, this.asks, this.newId);
  }

  /** A waiting node's pass with its answer. */
  private answered(position: Position, resume: Resume): Hop {
    const taking: Wait = (at, policy) => {
      requireFits(at, resume);
      return advance(at, resume.answer, policy);
    };
    const moved = this.pass(position, taking);
    if (moved instanceof Promise) throw new Error(`${position.status} waits for nobody`);
    return { from: position.status, to: moved };
  }

  /** What a waiting node shows when a thread comes to it. */
  private readonly asks = (position: Position): { value: unknown; response_schema: unknown } => {
    let value: unknown;
    const shown = this.pass(position, (at, _policy, extra = {}) => {
      value = { ...waitRequest(at), ...extra };
      return at;
    });
    if (shown instanceof Promise) throw new Error(`${position.status} waits for nobody`);
    return { value, response_schema: answerSchemaJson(position) };
  };

  private pass(position: Position, wait: Wait) {
    if (isTerminal(position.status)) throw new Error(`${position.status} is an end`);
    return this.nodes[position.status as LiveStatus](position, this.ports.policyOf(position.kind), wait);
  }
}

const neverWaits: Wait = () => {
  throw new Error(`a node of ${RUNS_BY_ITSELF} asked to wait`);
};
