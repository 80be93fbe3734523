import { ONE_CASE, type Origin } from '../../core/case.js';
import type { CaseRow, DeadLetterRow, EvidenceRow, OutboxRow } from '../../ledger/case-rows.js';
import type { Role } from '../../core/work.js';
import { time, timeOrNull } from '../views.js';

/** A case without anything confidential: what lists show. */
export function caseSummary(row: CaseRow) {
  const origin = JSON.parse(row.origin) as Origin;
  return {
    exceptionId: row.exception_id,
    origin: {
      system: origin.system,
      runId: origin.runId,
      conversationId: origin.conversationId ?? null,
      threadId: origin.threadId ?? null,
      interruptId: origin.interruptId ?? null,
    },
    occurrence: row.occurrence === ONE_CASE ? null : row.occurrence,
    classification: row.classification,
    team: row.team,
    occurredAt: time(row.occurred_at),
    observations: row.observations,
    lastObservedAt: time(row.last_observed_at),
    awaitingInfo:
      row.asked_who === null
        ? null
        : {
            who: row.asked_who,
            what: row.asked_what,
            since: timeOrNull(row.asked_at),
            until: timeOrNull(row.asked_until),
          },
    escalations: row.escalations,
    escalatedAt: timeOrNull(row.escalated_at),
    decisionId: row.decision_id,
    decidedBy: row.decided_by,
    decidedAt: timeOrNull(row.decided_at),
    reflectedAt: timeOrNull(row.reflected_at),
  };
}
export type CaseSummary = ReturnType<typeof caseSummary>;

/** A piece of evidence as these roles may read it. */
export function evidenceView(row: EvidenceRow, roles: readonly Role[]) {
  const access = JSON.parse(row.access) as Role[];
  const readable = access.some((role) => roles.includes(role));
  return {
    sha256: row.sha256,
    label: row.label,
    ref: row.ref,
    access,
    readable,
    body: readable && row.body !== null ? (JSON.parse(row.body) as unknown) : null,
    givenBy: row.given_by,
    at: time(row.at),
    retainUntil: time(row.retain_until),
    erasedAt: timeOrNull(row.erased_at),
  };
}

/** @param kept the case it is of: a decision that its origin has may still wait for its case to be completed */
export function deliveryView(row: OutboxRow, kept: CaseRow) {
  const waits = row.state === 'pending' || row.state === 'unknown';
  const told = waits && kept.decision_id === row.delivery_id && kept.reflected_at !== null;
  const target = JSON.parse(row.target) as { type: string; url?: string };
  return {
    deliveryId: row.delivery_id,
    target: target.type,
    url: target.url ?? null,
    state: told ? ('told' as const) : row.state,
    attempts: row.attempts,
    failures: row.failures,
    nextAt: waits ? time(row.next_at) : null,
    lastError: row.last_error,
    createdAt: time(row.created_at),
    settledAt: timeOrNull(row.settled_at),
  };
}

export function deadLetterView(row: DeadLetterRow, now_ms: number) {
  return {
    deadLetterId: row.dead_letter_id,
    source: row.source,
    sourceId: row.source_id,
    reason: row.reason,
    attempts: row.attempts,
    workId: row.work_id,
    owner: row.owner,
    state: row.state,
    createdAt: time(row.created_at),
    age_ms: now_ms - row.created_at,
    retainUntil: time(row.retain_until),
    settledBy: row.settled_by,
    settledReason: row.settled_reason,
    settledAt: timeOrNull(row.settled_at),
  };
}
