import { Command } from '@langchain/langgraph';
import type { ThreadStep } from '../core/thread.js';
import type { Verdict } from '../core/verdict.js';
import type { Position } from '../core/work.js';
import type { CompiledWorkGraph } from '../graph/graph.js';
import type { Stepper } from '../graph/stepper.js';
import { RUN_TOKEN, type Checkpoints } from '../ledger/checkpoints.js';
import { positionOf, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import type { Store } from '../ledger/store.js';
import type { Runner } from './applier.js';
import { arrivedAt } from './apply-at-once.js';
import { resumeOf } from './resume-of.js';

/** What VALIDATION found during the run of this thread, taken out once. */
export type VerdictOf = (position: Pick<Position, 'tenant' | 'workId'>) => Verdict | undefined;

interface Threads {
  readonly checkpoints: Checkpoints;
  readonly verdictOf: VerdictOf;
}

/** Runs the graph's nodes without LangGraph's scheduler. (docs/decisions/0085) */
export function steppingRunner(stepper: Stepper, store: () => Store, threads: Threads): Runner {
  const { checkpoints } = threads;
  const stepOf = async (row: WorkRow, receipt: ReceiptRow): Promise<ThreadStep> => {
    const { thread_id, checkpoint_id } = row;
    if (checkpoint_id === null) return stepper.begin(positionOf(row));
    const head = await store().read(() => checkpoints.head(thread_id, checkpoint_id));
    if (!head) throw new Error(`thread ${thread_id} has no checkpoint ${checkpoint_id}`);
    return await stepper.run(head, resumeOf(row, receipt));
  };
  return withVerdict(threads, async (row, receipt) => {
    const step = await stepOf(row, receipt);
    return { ...arrivedAt(step), insert: () => checkpoints.write(row.thread_id, row.checkpoint_id, step) };
  });
}

/** Runs the compiled graph as LangGraph does, with its writes captured. For tracing, and to hold the other against. */
export function langGraphRunner(graph: CompiledWorkGraph, threads: Threads): Runner {
  const { checkpoints } = threads;
  return withVerdict(threads, async (row, receipt) => {
    const token = checkpoints.open();
    try {
      const input = receipt.action === 'register' ? { work: positionOf(row) } : resumeCommand(row, receipt);
      const state = await graph.invoke(input as never, {
        configurable: { thread_id: row.thread_id, [RUN_TOKEN]: token, __pregel_strict_resume: true },
        // The receipt is durable already and replays the answer, so only the state it leads to needs to be written.
        durability: 'exit',
        recursionLimit: 25,
      });
      const interrupts = (state as { __interrupt__?: { id?: string }[] }).__interrupt__;
      const captured = await checkpoints.take(token);
      if (captured.checkpointId === null)
        throw new Error('the graph took the answer but wrote no checkpoint');
      return {
        position: (state as { work: Position }).work,
        interruptId: interrupts?.[0]?.id ?? null,
        checkpointId: captured.checkpointId,
        insert: () => captured.insert(),
      };
    } finally {
      checkpoints.discard(token);
    }
  });
}

function withVerdict({ verdictOf }: Threads, runner: Runner): Runner {
  return async (row, receipt) => {
    const thread = { tenant: row.tenant, workId: row.work_id };
    // What an earlier, failed run of this thread may have found is not this run's.
    verdictOf(thread);
    const led = await runner(row, receipt);
    const verdict = verdictOf(thread);
    return verdict ? { ...led, verdict } : led;
  };
}

function resumeCommand(row: WorkRow, receipt: ReceiptRow): Command {
  const value = resumeOf(row, receipt);
  return new Command({ resume: row.interrupt_id === null ? value : { [row.interrupt_id]: value } });
}
