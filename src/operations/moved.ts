import type { Position, Status } from '../core/work.js';
import type { Verdict } from '../core/verdict.js';
import { changeLease, closeLease, openLease } from '../ledger/leases.js';
import { findLease } from '../ledger/reads.js';
import type { WorkChanges } from '../ledger/record.js';
import { positionColumns, type LeaseRow, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import { kindNamed, type Desk } from './desk.js';

/** Where an answer has led its thread. */
export interface Arrived {
  readonly position: Position;
  /** The wait it has come to; null at the end. */
  readonly interruptId: string | null;
  readonly checkpointId: string;
  readonly verdict?: Verdict;
}

const PARKED: readonly Status[] = ['HOLD', 'BLOCKED'];

/** What an applied answer changes in the work's row, and what it does to the reservation. */
export function* movedColumns(
  desk: Desk,
  row: WorkRow,
  receipt: Pick<ReceiptRow, 'action' | 'body'>,
  arrived: Arrived,
  now_ms: number,
): Tx<WorkChanges> {
  const { position, interruptId, checkpointId } = arrived;
  return {
    ...positionColumns(position),
    ...(yield* leaseAfter(desk, row, position, interruptId, receipt.action, now_ms)),
    ...stageResult(receipt),
    checkpoint_id: checkpointId,
    interrupt_id: interruptId,
    wait_since: now_ms,
  };
}

/** The columns that say that nothing is pending. */
export const NOTHING_PENDING = {
  pending_receipt: null,
  pending_since: null,
  applier: null,
  applier_until: null,
  apply_attempts: 0,
  apply_error: null,
} as const satisfies WorkChanges;

/** The words of an event that moves a work. */
export function movement(row: WorkRow, { position, verdict }: Arrived): Record<string, unknown> {
  return {
    from: row.status,
    to: position.status,
    round: position.round,
    ...(verdict ? { validation: verdict } : {}),
    ...(position.gate && position.status === 'OWNER_GATE' ? { gate: position.gate } : {}),
  };
}

/** What a stage's answer leaves behind on the work: where the result can be found outside, and its record. */
function stageResult(receipt: Pick<ReceiptRow, 'body'>): WorkChanges {
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
