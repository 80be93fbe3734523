import { END, START, StateGraph } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { FlowPolicy } from '../core/advance.js';
import { TRANSITIONS, successors } from '../core/transitions.js';
import { STATUSES, isTerminal, type Position, type Status } from '../core/work.js';
import type { WorkRequest } from '../nodes/intake.js';
import type { Validate } from '../nodes/validation.js';
import { waitAndAdvance } from '../nodes/interrupting.js';
import type { Wait } from '../nodes/waiting.js';
import { nodesByStatus } from './nodes-by-status.js';
import { RequestInput, StandaloneState, WorkState, type WorkStateValue } from './state.js';

/** What the graph needs from outside: each kind's rules, and something that can judge an artifact. */
export interface GraphPorts {
  policyOf(kind: string): FlowPolicy;
  readonly validate: Validate;
  /** How nodes wait; left out, as a desk wants it. */
  readonly wait?: Wait;
  /** Makes a work of a plain request, where no desk registers it. With it, nothing else starts a thread. */
  readonly intake?: (request: WorkRequest | undefined) => Promise<Position>;
}

/** The node that a thread without a work begins with, in a graph without a desk. */
const INTAKE = 'INTAKE';

/** After every node the position's own status says where to go; the table says where it may. */
function destination({ work }: WorkStateValue): Status | typeof END {
  return isTerminal(work.status) ? END : work.status;
}

/** The work graph, edges only: one node per status, the edges of the transition table, nothing else. */
export function buildGraph(ports: GraphPorts) {
  const { intake, wait = waitAndAdvance } = ports;
  const graph = (intake
    ? new StateGraph({ state: StandaloneState, input: RequestInput })
    : new StateGraph(WorkState)) as unknown as DynamicGraph;
  for (const [status, node] of Object.entries(nodesByStatus(ports.validate))) {
    graph.addNode(status, async ({ work }) => ({
      work: await node(work, ports.policyOf(work.kind), wait),
    }));
  }
  const begun = STATUSES.filter((status) => !isTerminal(status));
  if (intake) {
    graph.addNode(INTAKE, async ({ request }) => ({ work: await intake(request) }));
    // Plain input to a thread that has its work must not begin it again: it comes back to the same wait.
    const start = (state: Partial<WorkStateValue>) =>
      state.work === undefined ? INTAKE : destination({ work: state.work });
    graph.addConditionalEdges(START, start, [INTAKE, ...begun, END]);
    graph.addConditionalEdges(INTAKE, destination, ['DISCOVERED']);
  } else {
    graph.addConditionalEdges(START, destination, begun);
  }
  for (const status of begun.filter((each) => Object.keys(TRANSITIONS[each].next).length > 0)) {
    const targets = successors(status).map((each) => (isTerminal(each) ? END : each));
    graph.addConditionalEdges(status, destination, [...new Set(targets)]);
  }
  return graph;
}

/** Node names come from the table, so LangGraph's literal-typed builder sees them as plain strings. */
interface DynamicGraph {
  addNode(
    name: string,
    node: (state: WorkStateValue & { request?: WorkRequest }) => Promise<{ work: Position }>,
  ): unknown;
  addConditionalEdges(
    from: string,
    route: (state: WorkStateValue) => string,
    targets: readonly string[],
  ): unknown;
  compile(options: { checkpointer?: BaseCheckpointSaver; name?: string }): CompiledWorkGraph;
}

export type CompiledWorkGraph = ReturnType<StateGraph<typeof WorkState.spec>['compile']>;

export function compileGraph(ports: GraphPorts, checkpointer?: BaseCheckpointSaver): CompiledWorkGraph {
  return buildGraph(ports).compile({ name: 'signalbox', ...(checkpointer ? { checkpointer } : {}) });
}
