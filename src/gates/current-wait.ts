import { Refusal } from '../core/refusals.js';
import type { WorkRow } from '../ledger/rows.js';
import { currentOf } from './facts.js';

/**
 * For acts beside a wait (a partial result, an announced effect): the wait they name is the current one and still open.
 * @throws Refusal STALE_INTERRUPT, ALREADY_DECIDED
 */
export function requireOpenWait(row: WorkRow, interruptId: string): void {
  const current = currentOf(row);
  if (interruptId !== row.interrupt_id)
    throw new Refusal('STALE_INTERRUPT', `interruptId ${interruptId} is not the current wait`, { current });
  if (row.pending_receipt !== null)
    throw new Refusal('ALREADY_DECIDED', 'this wait has its answer', {
      current,
      receiptId: row.pending_receipt,
    });
}
