import { Refusal } from '../core/refusals.js';
import type { Approval } from '../core/work.js';
import { presentParties } from '../gates/authorization.js';
import { currentOf } from '../gates/facts.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import { kindNamed, type Desk } from './desk.js';
import { partiesOf } from './makers.js';
import { receiptView } from './views.js';

/**
 * Asks for an owner's current approval of an action that only an owner may allow: for this action, on this artifact.
 * @throws Refusal OWNER_ONLY
 */
export function requireApproval(desk: Desk, row: WorkRow, action: string): void {
  if (!kindNamed(desk, row.kind).ownerOnly.includes(action)) return;
  const approval = row.approval === null ? null : (JSON.parse(row.approval) as Approval);
  if (approval?.action === action && approval.artifactSha256 === row.artifact_sha256) return;
  throw new Refusal('OWNER_ONLY', `${action} needs an owner's approval for this very artifact`, {
    current: currentOf(row),
  });
}

/** Approvals of this very wait that did not open it yet, oldest first. Bound to the interrupt ID, so a new wait starts with none (I7). */
export function approvalsGiven(row: WorkRow): Tx<ReceiptRow[]> {
  return all(sql`
    SELECT * FROM receipts
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND interrupt_id = ${row.interrupt_id}
      AND action = 'decide' AND outcome = 'accepted' AND moves = 0
    ORDER BY at, receipt_id`);
}

/**
 * Approvals that stand, and those that do not any more: whoever gave one, and whoever sent it, must still be an owner
 * when it is counted.
 */
export function* sorted(
  tenant: string,
  approvals: readonly ReceiptRow[],
): Tx<{ standing: ReceiptRow[]; fallen: ReceiptRow[] }> {
  const names = approvals.flatMap(partiesOf).map(({ principal }) => principal);
  const owners = new Set(
    (yield* presentParties(tenant, names)).filter(({ owns }) => owns).map(({ principal }) => principal),
  );
  const stands = (receipt: ReceiptRow): boolean =>
    partiesOf(receipt).every(({ principal }) => owners.has(principal));
  return {
    standing: approvals.filter(stands),
    fallen: approvals.filter((receipt) => !stands(receipt)),
  };
}

export interface Approvals {
  readonly needed: number;
  readonly given: readonly ReturnType<typeof approvalView>[];
  readonly fallen: readonly ReturnType<typeof approvalView>[];
}

/**
 * How many actors a gate asks for and who has approved already; null where the work is at no gate. `fallen` are
 * approvals that do not count any more, because their giver is no owner now.
 */
export function* approvalsView(desk: Desk, row: WorkRow): Tx<Approvals | null> {
  if (row.status !== 'OWNER_GATE') return null;
  const { standing, fallen } = yield* sorted(row.tenant, yield* approvalsGiven(row));
  return {
    // A kind that is configured no longer asks for one, which is the least that a gate can ask for.
    needed: desk.kinds.get(row.kind)?.approvals ?? 1,
    given: standing.map(approvalView),
    fallen: fallen.map(approvalView),
  };
}

function approvalView(receipt: ReceiptRow) {
  const { principal: by, actor, at, submission } = receiptView(receipt);
  return { by, actor, at, reason: submission?.['reason'] ?? null };
}
