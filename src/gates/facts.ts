import type { Facts, LeaseFacts } from '../core/guard.js';
import type { Change } from '../core/identity.js';
import type { Current } from '../core/refusals.js';
import type { Submission } from '../core/submission.js';
import type { Action } from '../core/transitions.js';
import type { Caller } from '../core/work.js';
import {
  findAcceptedAnswer,
  findArtifact,
  findLease,
  findReceipt,
  openBlockers,
  openEffects,
  versionsAfter,
} from '../ledger/reads.js';
import { positionOf, type LeaseRow, type WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';

/** Loads everything the guard's decision rests on, in the transaction that will write the outcome. */
export function* loadFacts(row: WorkRow, caller: Caller, submission: Submission, now_ms: number): Tx<Facts> {
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  const named = submission.interruptId;
  const stale = named !== undefined && named !== row.interrupt_id;
  return {
    now_ms,
    caller,
    position: positionOf(row),
    interruptId: row.interrupt_id,
    pending: row.pending_receipt === null ? null : yield* pendingOf(row.pending_receipt),
    answeredBy: stale ? yield* answeredBy(row, named) : null,
    changedSince: yield* changedSince(row, submission, stale),
    lease: lease ? leaseFacts(lease) : null,
    openBlockers: submission.action === 'claim' ? yield* openBlockers(row.tenant, row.work_id) : [],
    openEffects: yield* openEffects(row.tenant, row.work_id),
    artifactStored:
      submission.action === 'result' && submission.artifact
        ? (yield* findArtifact(row.tenant, submission.artifact.sha256)) !== undefined
        : false,
  };
}

export function leaseFacts(lease: LeaseRow): LeaseFacts {
  return {
    holder: lease.holder,
    actor: lease.actor,
    interruptId: lease.interrupt_id,
    state: lease.state,
    claimedAt_ms: lease.claimed_at,
    expiresAt_ms: lease.expires_at,
  };
}

function* pendingOf(receiptId: string): Tx<Facts['pending']> {
  const receipt = yield* findReceipt(receiptId);
  return receipt ? { receiptId, action: receipt.action as Action, by: receipt.principal } : null;
}

function* answeredBy(row: WorkRow, interruptId: string): Tx<Facts['answeredBy']> {
  const receipt = yield* findAcceptedAnswer(row.tenant, row.work_id, interruptId);
  if (!receipt) return null;
  return {
    receiptId: receipt.receipt_id,
    action: receipt.action as Action,
    by: receipt.principal,
    isLatest: row.last_receipt === receipt.receipt_id,
  };
}

/** What corrections changed since the version the submission names; for a stale wait without a version, what the last one changed. */
function* changedSince(row: WorkRow, submission: Submission, stale: boolean): Tx<Change[]> {
  const seen = submission.inputVersion ?? (stale ? row.input_version - 1 : row.input_version);
  if (seen >= row.input_version) return [];
  const versions = yield* versionsAfter(row.tenant, row.work_id, Math.max(seen, 0));
  return versions.flatMap((version) => JSON.parse(version.changes) as Change[]);
}

/** What a refusal tells about the work as it is. */
export function currentOf(row: WorkRow): Current {
  return {
    status: row.status,
    interruptId: row.interrupt_id,
    inputVersion: row.input_version,
    inputSha256: row.input_sha256,
    artifactSha256: row.artifact_sha256,
    holder: row.holder,
    leaseExpiresAt: row.lease_expires_at === null ? null : new Date(row.lease_expires_at).toISOString(),
  };
}
