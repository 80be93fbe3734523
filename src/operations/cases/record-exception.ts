import { CASE_KIND } from '../../core/case.js';
import { Refusal } from '../../core/refusals.js';
import type { Caller } from '../../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import {
  earlierUse,
  firstOutcome,
  keyedRequest,
  rememberKey,
  type KeyedRequest,
} from '../../gates/idempotency.js';
import { findCase, type CaseRow } from '../../ledger/case-rows.js';
import { findByIdentity, findWork } from '../../ledger/reads.js';
import { WriteConflict } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { first, insert, run, sql, type Tx } from '../../ledger/sql.js';
import { LIMITS } from '../../core/limits.js';
import { applyWithin, type CallOptions } from '../answer-wait.js';
import { createWork } from '../create-work.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { workView, type WorkView } from '../views.js';
import { caseSummary, type CaseSummary } from './case-views.js';
import { insertEvidence, observe } from './observe.js';
import { prepareCase, type PreparedCase } from './prepare-case.js';
import { exceptionRequest } from './requests.js';
import { requireIntake, requireRoom } from './room.js';
import { updateCase } from './update-case.js';

export interface Recorded {
  readonly outcome: 'created' | 'existing' | 'corrected' | 'follow_up';
  readonly work: WorkView;
  readonly case: CaseSummary;
  /** The same request came before, under the same key. */
  readonly replayed: boolean;
}

/**
 * Takes an exception in: durable when this returns. The same one again, however often and from wherever it is
 * delivered, is the same case with one more observation; other content that is newer updates an undecided case.
 * @throws Refusal BUSY while intake is paused or the team is full, ALREADY_DECIDED for newer content of a case whose
 * decision is still on its way to the origin, INVALID, FORBIDDEN
 */
export async function recordException(
  desk: Desk,
  who: Authenticated,
  body: unknown,
  options: CallOptions = {},
): Promise<Recorded> {
  const prepared = prepareCase(desk, parseRequest(exceptionRequest, body));
  const request = keyedRequest(options.idempotencyKey, 'record-exception', null, prepared.request);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await recordOnce(desk, who, prepared, request, options);
    } catch (error) {
      if (attempt >= LIMITS.caseAttempts || !isOvertaken(error)) throw error;
    }
  }
}

/** Another writer was faster; what is there now has to be looked at again. */
function isOvertaken(error: unknown): boolean {
  if (error instanceof Overtaken || error instanceof WriteConflict) return true;
  return (
    error instanceof Refusal && (error.code === 'STALE_INTERRUPT' || error.code === 'ACTION_NOT_ALLOWED')
  );
}

class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

async function recordOnce(
  desk: Desk,
  who: Authenticated,
  prepared: PreparedCase,
  request: KeyedRequest,
  options: CallOptions,
): Promise<Recorded> {
  const found = await desk.store.write(() => arrive(desk, who, prepared, request));
  if (found.replayed !== true && found.outcome === 'corrected') {
    // The answer being applied comes first; a correction is an answer too.
    if (found.row.pending_receipt !== null) {
      await desk.appliers.apply(who.tenant, found.row.work_id);
      throw new Overtaken();
    }
    await updateCase(desk, who, found.row, prepared, options);
  } else if (found.outcome !== 'existing') {
    await applyWithin(desk, who.tenant, found.row.work_id, options.wait_ms);
  }
  return await desk.store.read(function* () {
    const row = (yield* findWork(who.tenant, found.row.work_id)) ?? found.row;
    const kept = yield* findCase(who.tenant, row.work_id);
    if (!kept) throw new Error('a case just recorded is there');
    const replayed = found.replayed ?? false;
    return { outcome: found.outcome, work: workView(row), case: caseSummary(kept), replayed };
  });
}

interface Arrival {
  readonly outcome: Recorded['outcome'];
  readonly row: WorkRow;
  /** The same request came before, under the same key. */
  readonly replayed?: true;
}

function* arrive(desk: Desk, who: Authenticated, prepared: PreparedCase, request: KeyedRequest): Tx<Arrival> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['scout', 'worker', 'operator'], 'recording an exception');
  const earlier = yield* earlierUse(caller, request);
  if (earlier?.work_id) {
    const row = yield* findWork(caller.tenant, earlier.work_id);
    if (row) return { outcome: firstOutcome(earlier, caller, row), row, replayed: true };
  }
  const known = yield* findByIdentity(caller.tenant, CASE_KIND, prepared.work.identitySha256);
  const kept = known ? yield* findCase(caller.tenant, known.work_id) : undefined;
  if (!known || !kept) {
    const row = yield* create(desk, caller, prepared, null, request);
    return { outcome: 'created', row };
  }
  return yield* arriveAgain(desk, caller, prepared, known, kept, request);
}

function* arriveAgain(
  desk: Desk,
  caller: Caller,
  prepared: PreparedCase,
  known: WorkRow,
  kept: CaseRow,
  request: KeyedRequest,
): Tx<Arrival> {
  const newer = prepared.occurredAt_ms > kept.occurred_at;
  const sha256 = prepared.work.inputSha256;
  const same = sha256 === known.input_sha256;
  const outdated =
    !same && (prepared.occurredAt_ms < kept.occurred_at || (!newer && (yield* wasSeen(known, sha256))));
  const ended = known.status === 'DONE' || known.status === 'CANCELLED';
  if (ended && newer) {
    const row = yield* create(desk, caller, prepared, known.work_id, request);
    return { outcome: 'follow_up', row };
  }
  if (!same && !outdated && !ended) {
    if (kept.decision_id === null) return { outcome: 'corrected', row: known };
    throw new Refusal(
      'ALREADY_DECIDED',
      `${known.work_id} was decided by ${kept.decided_by ?? 'somebody'}; newer content is taken once the decision has reached its origin`,
    );
  }
  const how = outdated || !same ? 'outdated' : newer ? 'recurred' : 'redelivered';
  yield* observe(desk, caller, known, kept, { sha256, occurredAt_ms: prepared.occurredAt_ms, how });
  yield* rememberKey(caller, request, { work_id: known.work_id, receipt_id: null }, desk.now_ms());
  return { outcome: 'existing', row: known };
}

/** Whether an earlier version of this case had this very content: then it is a late redelivery, not news. */
function* wasSeen(row: WorkRow, sha256: string): Tx<boolean> {
  const seen = yield* first(sql`
    SELECT 1 FROM input_versions WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND input_sha256 = ${sha256} LIMIT 1`);
  return seen !== undefined;
}

/** A new case stands at READY at once: that an exception is work needs no triage, and it waits for people anyway. */
function* create(
  desk: Desk,
  caller: Caller,
  prepared: PreparedCase,
  follows: string | null,
  request: KeyedRequest,
): Tx<WorkRow> {
  yield* requireIntake(caller.tenant);
  yield* requireRoom(desk, caller.tenant, prepared.team);
  const { workId } = prepared.work;
  const taken = (yield* findWork(caller.tenant, workId)) !== undefined;
  const free = taken ? `${workId}~${desk.newId().slice(-12)}` : workId;
  const row = yield* createWork(desk, caller, prepared.work, free, follows, request, {
    status: 'READY',
    class: prepared.request.classification,
  });
  const now_ms = desk.now_ms();
  yield* run(
    insert('cases', {
      tenant: row.tenant,
      work_id: row.work_id,
      exception_id: prepared.request.exceptionId,
      origin_system: prepared.origin.system,
      origin: JSON.stringify(prepared.origin),
      occurrence: prepared.occurrence,
      classification: prepared.request.classification,
      occurred_at: prepared.occurredAt_ms,
      team: prepared.team,
      recorded_by: caller.principal,
      recorded_actor: caller.actor,
      last_observed_at: now_ms,
    }),
  );
  yield* run(
    insert('case_observations', {
      tenant: row.tenant,
      work_id: row.work_id,
      number: 1,
      content_sha256: row.input_sha256,
      occurred_at: prepared.occurredAt_ms,
      how: 'created',
      recorded_by: caller.principal,
      at: now_ms,
    }),
  );
  yield* insertEvidence(row, prepared.evidence, caller.principal, now_ms);
  return row;
}
