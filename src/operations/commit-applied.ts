import { keptText } from '../core/kept-text.js';
import type { Position, Status } from '../core/work.js';
import type { Verdict } from '../core/verdict.js';
import type { CapturedRun } from '../ledger/checkpoints.js';
import { changeLease, closeLease, openLease } from '../ledger/leases.js';
import { findLease, lockWork } from '../ledger/reads.js';
import { WriteConflict, record, type WorkChanges } from '../ledger/record.js';
import { positionColumns, type LeaseRow, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import { run, sql, type Tx } from '../ledger/sql.js';
import { kindNamed, type Desk } from './desk.js';

export interface Applied {
  /** The row as it was when the run began. */
  readonly row: WorkRow;
  readonly receipt: ReceiptRow;
  /** Where the graph stands now. */
  readonly position: Position;
  readonly interruptId: string | null;
  readonly captured: CapturedRun;
  readonly verdict?: Verdict;
}

const PARKED: readonly Status[] = ['HOLD', 'BLOCKED'];

/**
 * One transaction: checkpoint, current row, event, receipt. The row names the new head before the checkpoint is
 * inserted, which is what the database's fence asks for.
 * @throws WriteConflict when another process has applied this receipt meanwhile
 */
export function* commitApplied(desk: Desk, applied: Applied): Tx<WorkRow> {
  const { receipt, position, captured } = applied;
  const now_ms = desk.now_ms();
  const row = yield* lockWork(desk.store.dialect, applied.row.tenant, applied.row.work_id);
  if (!row || row.pending_receipt !== receipt.receipt_id || row.checkpoint_id !== applied.row.checkpoint_id) {
    throw new WriteConflict(`receipt ${receipt.receipt_id} was applied by another process`, true);
  }
  if (captured.checkpointId === null) throw new Error('the graph took the answer but wrote no checkpoint');
  const lease = yield* leaseAfter(desk, row, position, applied.interruptId, receipt.action, now_ms);
  const after = yield* record(
    row,
    {
      type: receipt.action === 'register' ? 'thread.started' : 'work.moved',
      by: receipt.principal,
      at_ms: now_ms,
      data: movement(row, applied),
    },
    {
      ...positionColumns(position),
      ...lease,
      ...stageResult(receipt),
      checkpoint_id: captured.checkpointId,
      interrupt_id: applied.interruptId,
      wait_since: now_ms,
      pending_receipt: null,
      pending_since: null,
      applier: null,
      applier_until: null,
      apply_attempts: 0,
      apply_error: null,
    },
  );
  yield* captured.insert();
  yield* run(sql`UPDATE receipts SET applied_at = ${now_ms} WHERE receipt_id = ${receipt.receipt_id}`);
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

function movement(row: WorkRow, { receipt, position, verdict }: Applied): Record<string, unknown> {
  return {
    action: receipt.action,
    receiptId: receipt.receipt_id,
    from: row.status,
    to: position.status,
    round: position.round,
    ...(verdict ? { validation: verdict } : {}),
    ...(position.gate && position.status === 'OWNER_GATE' ? { gate: position.gate } : {}),
  };
}

/** What a stage's answer leaves behind on the work: where the result can be found outside, and its record. */
function stageResult(receipt: ReceiptRow): WorkChanges {
  const { submission } = JSON.parse(receipt.body) as {
    submission?: { externalId?: string; assetRef?: string };
  };
  return {
    ...(submission?.externalId ? { external_id: submission.externalId } : {}),
    ...(submission?.assetRef ? { asset_ref: submission.assetRef } : {}),
  };
}

/** What a move does to the reservation: ends it, hands it on, stops its clock, or lets it run again. */
function* leaseAfter(
  desk: Desk,
  row: WorkRow,
  position: Position,
  interruptId: string | null,
  action: string,
  now_ms: number,
): Tx<WorkChanges> {
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  if (!position.holder) return yield* closeLease(row, action, now_ms);
  const { lease: policy } = kindNamed(desk, row.kind);
  if (!lease || lease.holder !== position.holder.principal) {
    yield* closeLease(row, action, now_ms);
    const opened = {
      leaseId: desk.newId(),
      interruptId: interruptId ?? '',
      purpose: 'work' as const,
      holder: position.holder,
      now_ms,
      ...policy,
    };
    return yield* openLease(row, opened);
  }
  return yield* changeLease(row, {
    interrupt_id: interruptId ?? lease.interrupt_id,
    ...clock(lease, position, now_ms),
  });
}

function clock(lease: LeaseRow, position: Position, now_ms: number): Partial<LeaseRow> {
  if (PARKED.includes(position.status)) {
    return lease.expires_at === null
      ? {}
      : { expires_at: null, remaining_ms: Math.max(0, lease.expires_at - now_ms) };
  }
  return lease.remaining_ms === null ? {} : { expires_at: now_ms + lease.remaining_ms, remaining_ms: null };
}
