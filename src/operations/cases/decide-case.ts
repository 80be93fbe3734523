import { targetOf, type Origin } from '../../core/case.js';
import { canonicalJson } from '../../core/identity.js';
import { Refusal, invalid } from '../../core/refusals.js';
import { isSameParty, type Caller } from '../../core/work.js';
import type { Authenticated } from '../../gates/authorization.js';
import { findCase, type CaseRow } from '../../ledger/case-rows.js';
import { changeLease } from '../../ledger/leases.js';
import { effectsOf, findVersion } from '../../ledger/reads.js';
import type { WorkChanges } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { insert, run, sql, type Tx } from '../../ledger/sql.js';
import { answerWait, type CallOptions } from '../answer-wait.js';
import { putArtifact } from '../artifacts.js';
import type { Desk } from '../desk.js';
import { judged, type Judged } from '../judge.js';
import { parseRequest } from '../requests.js';
import { time } from '../views.js';
import { caseNamed } from './find-case.js';
import { decideCaseRequest, type DecideCaseRequest } from './requests.js';
import type { Decision } from './show-case.js';

/**
 * The holder's decision on a case. It names the wait, the input version and the operation it saw. The decision and
 * the order to tell its origin are written in one transaction; whether the origin could be told is another matter,
 * and never a reason to ask again.
 * @throws Refusal STALE_INTERRUPT, ALREADY_DECIDED, INPUT_CHANGED, NOT_HOLDER, LEASE_EXPIRED, SELF_APPROVAL …
 */
export async function decideCase(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged & { decisionId: string }> {
  const request = parseRequest(decideCaseRequest, body);
  const { row } = await desk.store.read(() => caseNamed(who, id));
  const by = who.onBehalfOf?.principal ?? who.principal;
  const content = canonicalJson({ ...plain(request), workId: row.work_id, decidedBy: by });
  const stored = await putArtifact(desk, who, once(content), 'application/json');
  const { interruptId, inputVersion } = request;
  const answered = await answerWait(
    desk,
    who,
    row.work_id,
    { action: 'result', interruptId, inputVersion, artifact: { sha256: stored.sha256 } },
    options,
    {
      *resolve(_facts, current, caller) {
        const kept = yield* caseOf(current);
        refuseOwnException(kept, caller);
        yield* refuseOtherOperation(current, request);
        return {};
      },
      onAccept: (current, caller, receiptId) => saveDecision(desk, current, caller, receiptId, request),
    },
  );
  return { ...judged(answered), decisionId: answered.receipt.receipt_id };
}

/** Without the fields that were left out. */
const plain = (request: DecideCaseRequest): object => JSON.parse(JSON.stringify(request)) as object;

async function* once(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

function* caseOf(row: WorkRow): Tx<CaseRow> {
  const kept = yield* findCase(row.tenant, row.work_id);
  if (!kept) throw new Refusal('NOT_FOUND', `no case ${row.work_id}`);
  return kept;
}

/** Whoever asked people must not be the one who answers in their place, unless it runs this desk. */
function refuseOwnException(kept: CaseRow, caller: Caller): void {
  if (caller.roles.includes('operator') || caller.roles.includes('owner')) return;
  if (isSameParty({ principal: kept.recorded_by, actor: kept.recorded_actor }, caller))
    throw new Refusal('SELF_APPROVAL', `${kept.recorded_actor} raised this exception`);
}

function* refuseOtherOperation(row: WorkRow, request: DecideCaseRequest): Tx<void> {
  const version = yield* findVersion(row.tenant, row.work_id, row.input_version);
  const { operation } = JSON.parse(version?.input ?? '{}') as {
    operation?: { version: string; sha256: string };
  };
  if (!operation && !request.operation) return;
  if (operation && !request.operation)
    throw invalid('/operation', 'is required: the version of the operation that you judge');
  if (operation?.version === request.operation?.version && operation?.sha256 === request.operation?.sha256)
    return;
  throw new Refusal('INPUT_CHANGED', `the operation to be judged is ${operation?.version ?? '(none)'}`);
}

function* saveDecision(
  desk: Desk,
  row: WorkRow,
  caller: Caller,
  decisionId: string,
  request: DecideCaseRequest,
): Tx<WorkChanges> {
  const now_ms = desk.now_ms();
  const kept = yield* caseOf(row);
  const done = yield* effectsOf(row.tenant, row.work_id);
  const decision: Decision = {
    decisionId,
    decision: request.decision,
    reason: request.reason,
    result: request.result ?? null,
    operations: [
      ...request.operations,
      ...done.map((effect) => ({
        operationId: effect.operation_id,
        outcome: effect.outcome,
        ...(effect.external_id === null ? {} : { externalId: effect.external_id }),
      })),
    ],
    externalIds: request.externalIds ?? null,
    decidedBy: caller.principal,
    decidedAt: time(now_ms),
    inputVersion: row.input_version,
  };
  yield* run(sql`
    UPDATE cases SET decision = ${JSON.stringify(decision)}, decision_id = ${decisionId}, decided_by = ${caller.principal},
      decided_at = ${now_ms}, reflected_at = NULL, open = 0, asked_who = NULL, asked_until = NULL
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id}`);
  yield* order(desk, row, kept, decision, now_ms);
  return yield* changeLease(row, {
    state: 'result_received',
    last_answer_at: now_ms,
    last_artifact_at: now_ms,
  });
}

/**
 * The order to tell the origin. An earlier decision of this case that was voided is told no more; one that it has
 * stays on record as told.
 */
function* order(desk: Desk, row: WorkRow, kept: CaseRow, decision: Decision, now_ms: number): Tx<void> {
  if (kept.reflected_at !== null)
    yield* run(sql`
      UPDATE outbox SET state = 'delivered', settled_at = ${kept.reflected_at}, last_error = NULL
      WHERE delivery_id = ${kept.decision_id} AND state IN ('pending', 'unknown')`);
  yield* run(sql`
    UPDATE outbox SET state = 'dead', last_error = 'another decision took its place'
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND state IN ('pending', 'unknown')`);
  const origin = JSON.parse(kept.origin) as Origin;
  const target = targetOf(desk.cases, origin);
  if (target?.type === 'poll') return;
  yield* run(
    insert('outbox', {
      delivery_id: decision.decisionId,
      tenant: row.tenant,
      work_id: row.work_id,
      target: JSON.stringify(target ?? { type: 'not allowed' }),
      payload: canonicalJson({
        type: 'case.decided',
        workId: row.work_id,
        exceptionId: kept.exception_id,
        origin,
        ...decision,
      }),
      state: 'pending',
      next_at: now_ms,
      created_at: now_ms,
    }),
  );
}
