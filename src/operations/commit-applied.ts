import { keptText } from '../core/kept-text.js';
import type { CapturedRun } from '../ledger/checkpoints.js';
import { lockWork } from '../ledger/reads.js';
import { WriteConflict, record } from '../ledger/record.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { run, send, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { NOTHING_PENDING, movedColumns, movement, type Arrived } from './moved.js';

export interface Applied extends Arrived {
  /** The row as it was when the run began. */
  readonly row: WorkRow;
  readonly receipt: ReceiptRow;
  /** Writes the checkpoints of the run. */
  insert: CapturedRun['insert'];
}

/**
 * One transaction: checkpoint, current row, event, receipt. The row names the new head before the checkpoint is
 * inserted, which is what the database's fence asks for.
 * @throws WriteConflict when another process has applied this receipt meanwhile
 */
export function* commitApplied(desk: Desk, applied: Applied): Tx<WorkRow> {
  const { receipt } = applied;
  const now_ms = desk.now_ms();
  const row = yield* lockWork(desk.store.dialect, applied.row.tenant, applied.row.work_id);
  if (!row || row.pending_receipt !== receipt.receipt_id || row.checkpoint_id !== applied.row.checkpoint_id) {
    throw new WriteConflict(`receipt ${receipt.receipt_id} was applied by another process`, true);
  }
  const after = yield* record(
    row,
    {
      type: receipt.action === 'register' ? 'thread.started' : 'work.moved',
      by: receipt.principal,
      at_ms: now_ms,
      data: { action: receipt.action, receiptId: receipt.receipt_id, ...movement(row, applied) },
    },
    { ...(yield* movedColumns(desk, row, receipt, applied, now_ms)), ...NOTHING_PENDING },
  );
  yield* applied.insert();
  yield* send(sql`UPDATE receipts SET applied_at = ${now_ms} WHERE receipt_id = ${receipt.receipt_id}`);
  return after;
}

/** An apply that failed is counted and shown; the answer stays accepted and is tried again, alone. */
export function* noteApplyFailure(
  seen: WorkRow,
  receipt: ReceiptRow,
  error: unknown,
  now_ms: number,
): Tx<void> {
  const message = error instanceof Error ? error.message : String(error);
  yield* run(sql`
    UPDATE works SET apply_attempts = apply_attempts + 1, apply_error = ${keptText(message, 1000)}, applier_until = ${now_ms}
    WHERE tenant = ${seen.tenant} AND work_id = ${seen.work_id} AND pending_receipt = ${receipt.receipt_id}`);
}
