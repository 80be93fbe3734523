import { CASE_KIND, CASE_WAITS_FOR } from '../core/case.js';
import type { Kind } from '../core/kind.js';
import { TRANSITIONS, actionsIn } from '../core/transitions.js';
import type { Finding, Gate } from '../core/work.js';
import { JOURNALS } from '../ledger/journal.js';
import type { PartialRow } from '../ledger/reads.js';
import type { EffectRow, HandoffRow, HistoryRow, LeaseRow, ReceiptRow, WorkRow } from '../ledger/rows.js';

/** Rows as the doors show them: names of api.md, times in RFC 3339 UTC. */

export const time = (at_ms: number): string => new Date(at_ms).toISOString();
export const timeOrNull = (at_ms: number | null): string | null => (at_ms === null ? null : time(at_ms));
const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const waitsForOf = ({ kind, status }: WorkRow): string =>
  kind === CASE_KIND && status === 'MERGE_READY' ? CASE_WAITS_FOR : TRANSITIONS[status].waitsFor;

export function workView(row: WorkRow) {
  return {
    workId: row.work_id,
    threadId: row.thread_id,
    tenant: row.tenant,
    kind: row.kind,
    title: row.title,
    status: row.status,
    round: row.round,
    inputVersion: row.input_version,
    inputSha256: row.input_sha256,
    artifactSha256: row.artifact_sha256,
    headSha: row.head_sha,
    author: row.author,
    findings: JSON.parse(row.findings) as Finding[],
    gate: parsed(row.gate) as Gate | null,
    returnTo: row.return_to,
    wait:
      row.interrupt_id === null
        ? null
        : {
            interruptId: row.interrupt_id,
            status: row.status,
            since: timeOrNull(row.wait_since),
            waitsFor: waitsForOf(row),
            expects: {
              inputVersion: row.input_version,
              inputSha256: row.input_sha256,
              artifactSha256: row.artifact_sha256,
              actions: actionsIn(row.status),
            },
          },
    holder: row.holder,
    lease:
      row.lease_id === null
        ? null
        : { holder: row.holder, state: row.lease_state, expiresAt: timeOrNull(row.lease_expires_at) },
    reassignments: row.reassignments,
    priority: row.priority,
    impact: row.impact,
    urgency: row.urgency,
    dueAt: timeOrNull(row.due_at),
    source: row.source === null ? null : (JSON.parse(row.source) as unknown),
    follows: row.follows,
    externalId: row.external_id,
    assetRef: row.asset_ref,
    notApplied:
      row.pending_receipt === null
        ? null
        : {
            receiptId: row.pending_receipt,
            since: timeOrNull(row.pending_since),
            attempts: row.apply_attempts,
            error: row.apply_error,
          },
    createdAt: time(row.created_at),
    createdBy: row.created_by,
    updatedAt: time(row.updated_at),
  };
}
export type WorkView = ReturnType<typeof workView>;

export function receiptView(row: ReceiptRow) {
  const { submission } = JSON.parse(row.body) as { submission?: Record<string, unknown> };
  return {
    receiptId: row.receipt_id,
    workId: row.work_id,
    interruptId: row.interrupt_id,
    action: row.action,
    outcome: row.outcome,
    code: row.code,
    detail: row.detail,
    principal: row.principal,
    actor: row.actor,
    onBehalf: parsed(row.on_behalf_of),
    inputVersion: row.input_version,
    artifactSha256: row.artifact_sha256,
    headSha: row.head_sha,
    submission: submission ?? null,
    at: time(row.at),
    appliedAt: timeOrNull(row.applied_at),
    applied: row.applied_at !== null,
  };
}
export type ReceiptView = ReturnType<typeof receiptView>;

export function eventView(row: HistoryRow) {
  return {
    seq: row.seq,
    position: row.position,
    /** Null for what belongs to no work: a turn of a switch, a dead letter, a change of rights. */
    workId: JOURNALS.includes(row.work_id) ? null : row.work_id,
    at: time(row.at),
    type: row.type,
    by: row.by_principal,
    data: JSON.parse(row.data) as Record<string, unknown>,
    changes: JSON.parse(row.changes) as Record<string, unknown>,
    hash: row.hash,
    prevHash: row.prev_hash,
  };
}
export type EventView = ReturnType<typeof eventView>;

export function leaseView(row: LeaseRow) {
  return {
    holder: row.holder,
    actor: row.actor,
    purpose: row.purpose,
    state: row.state,
    claimedAt: time(row.claimed_at),
    expiresAt: timeOrNull(row.expires_at),
    limitAt: time(row.limit_at),
    lastAnswerAt: time(row.last_answer_at),
    lastProgressAt: timeOrNull(row.last_progress_at),
    lastArtifactAt: timeOrNull(row.last_artifact_at),
    progress: parsed(row.progress),
    extensions: row.extensions,
    closedAt: timeOrNull(row.closed_at),
    closeReason: row.close_reason,
  };
}

export function effectView(row: EffectRow) {
  return {
    operationId: row.operation_id,
    action: row.action,
    target: row.target,
    outcome: row.outcome,
    externalId: row.external_id,
    evidenceRef: row.evidence_ref,
    intendedBy: row.intended_by,
    intendedAt: time(row.intended_at),
    inputVersion: row.input_version,
    settledAt: timeOrNull(row.settled_at),
  };
}

/** An intermediate result: never a result by itself, but what a next holder may begin with. */
export function partialView(row: PartialRow) {
  return {
    artifactSha256: row.artifact_sha256,
    items: JSON.parse(row.items) as string[],
    by: row.principal,
    inputVersion: row.input_version,
    at: time(row.at),
  };
}

export function kindView(kind: Kind) {
  return {
    kind: kind.name,
    description: kind.description,
    identity: kind.identity,
    lease: kind.lease,
    roundLimit: kind.roundLimit,
    skips: kind.skips,
    completion: kind.completion,
    ownerOnly: kind.ownerOnly,
    approvals: kind.approvals,
    effects: kind.effects,
    requiresHeadSha: kind.requiresHeadSha,
    artifactMediaType: kind.artifactMediaType,
    validators: kind.validators.map((validator) => ({ type: validator.type, name: validator.name })),
  };
}

export function handoffView(row: HandoffRow) {
  return {
    handoffId: row.handoff_id,
    from: row.from_holder,
    to: row.to_holder,
    cause: row.cause,
    reason: row.reason,
    itemsDone: JSON.parse(row.items_done) as string[],
    itemsLeft: JSON.parse(row.items_left) as string[],
    partials: JSON.parse(row.partials) as unknown[],
    effects: JSON.parse(row.effects) as unknown[],
    note: row.note,
    inputVersion: row.input_version,
    at: time(row.at),
  };
}
