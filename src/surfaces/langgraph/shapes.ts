import type { StateSnapshot } from '@langchain/langgraph';
import type { ThreadWork } from '../../operations/threads.js';
import type { ReceiptView } from '../../operations/views.js';

/** The graph's name for clients; `assistant_id` of every run. */
export const GRAPH_ID = 'signalbox';

/** A checkpoint's state as LangGraph's clients read it. */
export function stateShape(state: StateSnapshot) {
  return {
    values: state.values as Record<string, unknown>,
    next: state.next,
    tasks: state.tasks.map((task) => ({
      id: task.id,
      name: task.name,
      error: task.error === undefined || task.error === null ? null : 'failed',
      interrupts: task.interrupts,
      path: task.path ?? [],
      checkpoint: null,
      state: null,
      result: null,
    })),
    interrupts: interruptsOf(state),
    metadata: metadataOf(state),
    created_at: state.createdAt ?? null,
    checkpoint: checkpointOf(state.config),
    parent_checkpoint: checkpointOf(state.parentConfig),
  };
}

/** What a run leaves behind: the values, and what waits now. */
export function valuesShape(state: StateSnapshot): Record<string, unknown> {
  const interrupts = interruptsOf(state);
  return {
    ...(state.values as Record<string, unknown>),
    ...(interrupts.length > 0 ? { __interrupt__: interrupts } : {}),
  };
}

export function interruptsOf(state: StateSnapshot) {
  return state.tasks.flatMap((task) => task.interrupts);
}

/** LangGraph's own part of the metadata; what else was in the run's configuration is ours. */
function metadataOf(state: StateSnapshot) {
  const { source, step, parents } = (state.metadata ?? {}) as Record<string, unknown>;
  return { source, step, parents: parents ?? {}, graph_id: GRAPH_ID };
}

function checkpointOf(config: StateSnapshot['config'] | undefined) {
  const {
    thread_id,
    checkpoint_id,
    checkpoint_ns = '',
  } = (config?.configurable ?? {}) as Record<string, unknown>;
  return checkpoint_id === undefined
    ? null
    : { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map: null };
}

/** A work as a thread; with its state where that was read. */
export function threadShape({ work, current }: ThreadWork, state?: StateSnapshot, input?: unknown) {
  const busy = work.notApplied !== null;
  const waits = current.interruptId !== null && work.wait !== null;
  return {
    thread_id: work.threadId,
    created_at: work.createdAt,
    updated_at: work.updatedAt,
    state_updated_at: work.updatedAt,
    metadata: {
      graph_id: GRAPH_ID,
      assistant_id: GRAPH_ID,
      work_id: work.workId,
      kind: work.kind,
      title: work.title,
      work_status: work.status,
      ...(input === undefined ? {} : { input }),
    },
    config: {},
    status: busy ? 'busy' : waits ? 'interrupted' : 'idle',
    values: state ? (state.values as Record<string, unknown>) : null,
    interrupts: state
      ? Object.fromEntries(
          state.tasks.flatMap((task) => (task.interrupts.length > 0 ? [[task.id, task.interrupts]] : [])),
        )
      : {},
  };
}

/** An accepted answer as a run: its receipt's ID is the run's. */
export function runShape(threadId: string, receipt: ReceiptView) {
  return {
    run_id: receipt.receiptId,
    thread_id: threadId,
    assistant_id: GRAPH_ID,
    created_at: receipt.at,
    updated_at: receipt.appliedAt ?? receipt.at,
    status: receipt.applied ? 'success' : 'pending',
    metadata: { graph_id: GRAPH_ID, action: receipt.action, principal: receipt.principal },
    kwargs: {},
    multitask_strategy: 'reject',
  };
}
