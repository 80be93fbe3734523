import { isExpired } from '../core/guard.js';
import { Refusal } from '../core/refusals.js';
import type { Caller } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { requireOpenWait } from '../gates/current-wait.js';
import { currentOf, leaseFacts } from '../gates/facts.js';
import { actingName, visibleWork } from '../gates/submission-guard.js';
import { findEffect, findLease } from '../ledger/reads.js';
import { record } from '../ledger/record.js';
import type { EffectRow, WorkRow } from '../ledger/rows.js';
import { first, insert, run, sql, type Tx } from '../ledger/sql.js';
import { answerWait } from './answer-wait.js';
import { requireApproval } from './approval.js';
import { kindNamed, type Desk } from './desk.js';
import { isKnown } from './doubted-effects.js';
import { madeBy } from './makers.js';
import { effectOutcomeRequest, effectRequest, parseRequest } from './requests.js';
import { effectView } from './views.js';

/**
 * Announces an external action before it is done. `goAhead` is true exactly once per operation ID, whoever holds the
 * work by then; asked again, the answer is what is known, and never a second go-ahead (I11).
 * @throws Refusal NOT_HOLDER, LEASE_EXPIRED, FORBIDDEN for a stranger to a finished result, STALE_INTERRUPT, OWNER_ONLY without a current approval, IDEMPOTENCY_KEY_REUSED
 *   when the operation ID stands for something else
 */
export async function intendEffect(desk: Desk, who: Authenticated, workId: string, body: unknown) {
  const request = parseRequest(effectRequest, body);
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['worker', 'operator'], 'announcing an effect');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    const known = yield* findEffect(row.tenant, request.operationId);
    if (known) return { effect: effectView(sameOperation(known, row, request)), goAhead: false };
    yield* mayAct(desk, row, caller, request);
    requireApproval(desk, row, request.action);
    yield* requireUnused(desk, row, request.action);
    const now_ms = desk.now_ms();
    const effect: EffectRow = {
      tenant: row.tenant,
      operation_id: request.operationId,
      work_id: row.work_id,
      action: request.action,
      target: request.target,
      outcome: 'intended',
      external_id: null,
      evidence_ref: null,
      intended_by: caller.principal,
      intended_at: now_ms,
      input_version: row.input_version,
      settled_by: null,
      settled_at: null,
    };
    yield* run(insert('effects', { ...effect }));
    const { operationId, action, target } = request;
    yield* record(row, {
      type: 'effect.intended',
      by: actingName(caller),
      at_ms: now_ms,
      data: { operationId, action, target },
    });
    return { effect: effectView(effect), goAhead: true };
  });
}

/** The operation on record, if it is the one that is asked about. */
function sameOperation(known: EffectRow, row: WorkRow, asked: { action: string; target: string }): EffectRow {
  if (known.work_id !== row.work_id || known.action !== asked.action || known.target !== asked.target) {
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      `operation ${known.operation_id} was announced for something else`,
    );
  }
  return known;
}

/** In IN_PROGRESS the holder acts; in MERGE_READY whoever completes. Nowhere else is there anything to do outside. */
function* mayAct(
  desk: Desk,
  row: WorkRow,
  caller: Caller,
  { action, interruptId }: { readonly action: string; readonly interruptId: string },
): Tx<void> {
  const current = currentOf(row);
  if (row.status !== 'IN_PROGRESS' && row.status !== 'MERGE_READY') {
    throw new Refusal('ACTION_NOT_ALLOWED', `nothing is done outside in ${row.status}`, { current });
  }
  requireOpenWait(row, interruptId);
  if (row.status === 'MERGE_READY') return yield* mayComplete(desk, row, caller, action);
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  if (!lease || lease.holder !== caller.principal)
    throw new Refusal('NOT_HOLDER', `${lease?.holder ?? 'nobody'} holds ${row.work_id}`, { current });
  if (isExpired(leaseFacts(lease), desk.now_ms()))
    throw new Refusal('LEASE_EXPIRED', 'the reservation has run out', { current });
}

/**
 * An open effect keeps the work from being completed, so a stranger to the result announces only the completion itself.
 * @throws Refusal FORBIDDEN
 */
function* mayComplete(desk: Desk, row: WorkRow, caller: Caller, action: string): Tx<void> {
  const { completion } = kindNamed(desk, row.kind);
  if (action === completion || caller.roles.some((role) => role === 'operator' || role === 'owner')) return;
  if (yield* madeBy(row, caller)) return;
  throw new Refusal(
    'FORBIDDEN',
    `${action} on a result of somebody else needs the role operator; a worker may announce ${completion}`,
    { current: currentOf(row) },
  );
}

/**
 * An owner's approval is for one deed, and so is a completion: under another operation ID there is no second go-ahead
 * while the first is under way, unknown or done (I7, I11). One that failed may be tried again.
 */
function* requireUnused(desk: Desk, row: WorkRow, action: string): Tx<void> {
  const kind = kindNamed(desk, row.kind);
  const once =
    kind.ownerOnly.includes(action) || (row.status === 'MERGE_READY' && action === kind.completion);
  if (!once) return;
  const used = yield* findUse(row, action);
  if (!used) return;
  throw new Refusal('ALREADY_DECIDED', `${action} has its go-ahead as operation ${used.operation_id}`, {
    current: currentOf(row),
  });
}

/** The deed that used the go-ahead: still open, or done since the last verdict or decision. */
function findUse(row: WorkRow, action: string): Tx<{ operation_id: string } | undefined> {
  return first<{ operation_id: string }>(sql`
    SELECT operation_id FROM effects
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND action = ${action}
      AND (outcome IN ('intended', 'unknown') OR (outcome = 'confirmed' AND intended_at >= coalesce((
        SELECT max(at) FROM receipts
        WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND outcome = 'accepted'
          AND action IN ('review', 'decide')), 0)))
    ORDER BY intended_at, operation_id LIMIT 1`);
}

/**
 * Reports what became of an announced action, with evidence. A known outcome is final; a report that contradicts it is
 * turned away and kept in history, since two answers may mean that something was done twice. An unknown outcome stops
 * the work at OUTCOME_UNKNOWN until somebody reconciles it.
 * @throws Refusal NOT_FOUND for an operation that was not announced, NOT_HOLDER for a stranger to it, ALREADY_DECIDED
 *   when another outcome, or the same under another external ID, is on record
 */
export async function settleEffect(
  desk: Desk,
  who: Authenticated,
  workId: string,
  operationId: string,
  body: unknown,
) {
  const request = parseRequest(effectOutcomeRequest, body);
  const settled = await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['worker', 'operator'], 'reporting an effect');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    const known = yield* findEffect(row.tenant, operationId);
    if (!known || known.work_id !== row.work_id)
      throw new Refusal('NOT_FOUND', `operation ${operationId} was not announced for ${workId}`);
    requireKnowledge(known, row, caller);
    if (isKnown(known)) {
      if (agrees(known, request)) return { effect: known, row };
      return { refusal: yield* dispute(row, known, request, caller, desk.now_ms()) };
    }
    if (request.outcome === 'confirmed' && request.externalId === undefined) {
      throw new Refusal('INVALID', '/externalId is required: how the other side names it', {
        errors: [{ path: '/externalId', message: 'is required' }],
      });
    }
    const effect = yield* writeOutcome(known, request, caller.principal, desk.now_ms());
    const after = yield* record(row, {
      type: 'effect.settled',
      by: actingName(caller),
      at_ms: desk.now_ms(),
      data: { operationId, ...request },
    });
    return { effect, row: after };
  });
  // Thrown only now: what was reported stays in history.
  if ('refusal' in settled) throw settled.refusal;
  const { effect, row } = settled;
  if (
    effect.outcome === 'unknown' &&
    row.interrupt_id !== null &&
    (row.status === 'IN_PROGRESS' || row.status === 'MERGE_READY')
  ) {
    const { interrupt_id: interruptId } = row;
    const { evidenceRef } = request;
    await answerWait(
      desk,
      who,
      workId,
      { action: 'doubt', interruptId, evidenceRef },
      {},
      {
        *resolve(_facts, now) {
          // Somebody who knew was faster: then there is nothing to doubt.
          const told = yield* findEffect(now.tenant, operationId);
          if (told && isKnown(told)) throw onRecord(now, told);
          return {};
        },
      },
    );
  }
  return { effect: effectView(effect) };
}

interface Report {
  readonly outcome: EffectRow['outcome'];
  readonly externalId?: string | undefined;
  readonly evidenceRef?: string | undefined;
}

/** The same answer again, which may leave out how the other side names it. */
const agrees = (known: EffectRow, { outcome, externalId }: Report): boolean =>
  known.outcome === outcome && (externalId === undefined || externalId === known.external_id);

/** Keeps a report that contradicts what is on record where people look, without a change of what is known. */
function* dispute(
  row: WorkRow,
  known: EffectRow,
  report: Report,
  caller: Caller,
  now_ms: number,
): Tx<Refusal> {
  const refusal = onRecord(row, known);
  const { outcome, external_id } = known;
  yield* record(row, {
    type: 'effect.disputed',
    by: actingName(caller),
    at_ms: now_ms,
    data: {
      operationId: known.operation_id,
      ...report,
      onRecord: { outcome, externalId: external_id },
      code: refusal.code,
      detail: refusal.detail,
    },
  });
  return refusal;
}

function onRecord(row: WorkRow, known: EffectRow): Refusal {
  const named = known.external_id === null ? '' : ` under ${known.external_id}`;
  return new Refusal(
    'ALREADY_DECIDED',
    `operation ${known.operation_id} is on record as ${known.outcome}${named}; this report is kept in history`,
    { current: currentOf(row), next: 'Find out whether it was done twice; what is on record stays.' },
  );
}

/** Who announced it, who holds the work now, or an operator: nobody else knows what became of it. */
function requireKnowledge(known: EffectRow, row: WorkRow, caller: Caller): void {
  if (caller.roles.some((role) => role === 'operator' || role === 'owner')) return;
  if (caller.principal === known.intended_by || caller.principal === row.holder) return;
  throw new Refusal('NOT_HOLDER', `${known.intended_by} announced ${known.operation_id}`, {
    current: currentOf(row),
  });
}

export function* writeOutcome(known: EffectRow, outcome: Report, by: string, now_ms: number): Tx<EffectRow> {
  const changed = {
    outcome: outcome.outcome,
    external_id: outcome.externalId ?? known.external_id,
    evidence_ref: outcome.evidenceRef ?? known.evidence_ref,
    settled_by: by,
    settled_at: now_ms,
  };
  yield* run(sql`
    UPDATE effects SET outcome = ${changed.outcome}, external_id = ${changed.external_id}, evidence_ref = ${changed.evidence_ref},
      settled_by = ${by}, settled_at = ${now_ms}
    WHERE tenant = ${known.tenant} AND operation_id = ${known.operation_id}`);
  return { ...known, ...changed };
}
