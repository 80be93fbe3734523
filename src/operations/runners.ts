import type { ThreadStep } from '../core/thread.js';
import type { Verdict } from '../core/verdict.js';
import type { Position } from '../core/work.js';
import type { Stepper } from '../graph/stepper.js';
import type { CheckpointTables } from '../ledger/checkpoints.js';
import { positionOf, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import type { Store } from '../ledger/store.js';
import type { Runner } from './applier.js';
import { arrivedAt } from './apply-at-once.js';
import { resumeOf } from './resume-of.js';

/** What VALIDATION found during the run of this thread, taken out once. */
export type VerdictOf = (position: Pick<Position, 'tenant' | 'workId'>) => Verdict | undefined;

interface Threads {
  readonly checkpoints: CheckpointTables;
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

/** What VALIDATION found on the way goes with where the run led. */
export function withVerdict({ verdictOf }: Pick<Threads, 'verdictOf'>, runner: Runner): Runner {
  return async (row, receipt) => {
    const thread = { tenant: row.tenant, workId: row.work_id };
    // What an earlier, failed run of this thread may have found is not this run's.
    verdictOf(thread);
    const led = await runner(row, receipt);
    const verdict = verdictOf(thread);
    return verdict ? { ...led, verdict } : led;
  };
}
