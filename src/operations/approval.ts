import { Refusal } from '../core/refusals.js';
import type { Approval } from '../core/work.js';
import { currentOf } from '../gates/facts.js';
import type { WorkRow } from '../ledger/rows.js';
import { kindNamed, type Desk } from './desk.js';

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
