import type { ThreadStep } from '../core/thread.js';
import type { AppliedAtOnce } from '../gates/submission-guard.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { positionOf } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import { movedColumns, movement, type Arrived } from './moved.js';
import type { Desk } from './desk.js';
import { resumeOf } from './resume-of.js';

/**
 * Brings an answer to its thread in the transaction that accepts it, where every node on the way waits for somebody:
 * then nothing is ever decided and not applied. Null where a node works by itself (VALIDATION), where the desk runs
 * LangGraph's own runner, and where the step cannot be made: the answer is accepted all the same, and applied and, if
 * need be, retried by an applier.
 */
export function* applyAtOnce(desk: Desk, row: WorkRow, receipt: ReceiptRow): Tx<AppliedAtOnce | null> {
  const { stepper, checkpoints } = desk;
  if (!stepper || row.checkpoint_id === null) return null;
  const head = yield* checkpoints.head(row.thread_id, row.checkpoint_id);
  const step = head && attempted(() => stepper.step(head, resumeOf(row, receipt)));
  return step ? yield* at(desk, row, receipt, step) : null;
}

/** Starts the thread of a work in the transaction that registers it. Null as `applyAtOnce`. */
export function* startAtOnce(desk: Desk, row: WorkRow, receipt: ReceiptRow): Tx<AppliedAtOnce | null> {
  const { stepper } = desk;
  const step = stepper && attempted(() => stepper.begin(positionOf(row)));
  return step ? yield* at(desk, row, receipt, step) : null;
}

function* at(desk: Desk, row: WorkRow, receipt: ReceiptRow, step: ThreadStep): Tx<AppliedAtOnce> {
  const arrived = arrivedAt(step);
  const { thread_id, checkpoint_id: parent } = row;
  return {
    changes: yield* movedColumns(desk, row, receipt, arrived, receipt.at),
    data: movement(row, arrived),
    write: () => desk.checkpoints.write(thread_id, parent, step),
  };
}

export function arrivedAt({ position, checkpoint, wait }: ThreadStep): Arrived {
  return { position, interruptId: wait?.interruptId ?? null, checkpointId: checkpoint.id };
}

/** A step that fails leaves nothing behind, so that it can be tried again, and shown, by an applier. */
function attempted<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
