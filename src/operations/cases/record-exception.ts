import { CASE_KIND } from '../../core/case.js';
import { Refusal } from '../../core/refusals.js';
import { isTerminal, type Caller, type Status } from '../../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import {
  earlierUse,
  firstOutcome,
  keyedRequest,
  rememberKey,
  type KeyedRequest,
} from '../../gates/idempotency.js';
import { findCase, type CaseRow } from '../../ledger/case-rows.js';
import { effectsOf, findByIdentity, findWork, lockWork } from '../../ledger/reads.js';
import { WriteConflict } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { first, sql, type Tx } from '../../ledger/sql.js';
import { LIMITS } from '../../core/limits.js';
import { applyWithin, type CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { workView, type WorkView } from '../views.js';
import { caseSummary, type CaseSummary } from './case-views.js';
import { observe } from './observe.js';
import { openCase } from './open-case.js';
import { prepareCase, type PreparedCase } from './prepare-case.js';
import { exceptionRequest } from './requests.js';
import { RETRY_AFTER_ms } from './room.js';
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
 * delivered, is the same case with one more observation; other content that is newer updates an undecided case. Which
 * of several is the newest is found in the transaction that writes it, so their order of arrival plays no part.
 * @throws Refusal BUSY while intake is paused, the team is full, or the case cannot take newer content now;
 * ALREADY_DECIDED for newer content of a case whose decision is still on its way to the origin; INVALID, FORBIDDEN
 */
export async function recordException(
  desk: Desk,
  who: Authenticated,
  body: unknown,
  options: CallOptions = {},
): Promise<Recorded> {
  const prepared = prepareCase(desk, parseRequest(exceptionRequest, body));
  const request = keyedRequest(options.idempotencyKey, 'record-exception', null, prepared.request);
  return await takeIn(desk, who, prepared, request, options);
}

/** A letter that is taken in again: asked whether it is open still, and settled, in the transaction that takes it in. */
export interface LetterTaken {
  begin(): Tx<void>;
  settle(caller: Caller): Tx<void>;
}

/**
 * The same for what was put aside. It was meant for the case as it was then.
 * @throws Refusal ALREADY_DECIDED also where that was decided or ended meanwhile, or its effect done
 */
export async function takeLetterIn(
  desk: Desk,
  who: Authenticated,
  body: unknown,
  request: KeyedRequest,
  letter: LetterTaken,
): Promise<Recorded> {
  const prepared = prepareCase(desk, parseRequest(exceptionRequest, body));
  return await takeIn(desk, who, prepared, request, {}, letter);
}

async function takeIn(
  desk: Desk,
  who: Authenticated,
  prepared: PreparedCase,
  request: KeyedRequest,
  options: CallOptions,
  letter?: LetterTaken,
): Promise<Recorded> {
  for (let attempt = 1; attempt <= LIMITS.caseAttempts; attempt += 1) {
    const arrival = await desk.store
      .write(() => arrive(desk, who, prepared, request, letter))
      .catch(overtaken);
    if (arrival === null) continue;
    if (arrival.outcome === 'in_motion') {
      // The answer being applied comes first; a correction is an answer too.
      await desk.appliers.apply(who.tenant, arrival.row.work_id);
      continue;
    }
    if (arrival.outcome !== 'existing')
      await applyWithin(desk, who.tenant, arrival.row.work_id, options.wait_ms);
    return await recorded(desk, who, arrival);
  }
  throw new Refusal('BUSY', `${prepared.work.workId} moves faster than its newer content can be written`, {
    retryAfter_ms: LIMITS.caseBusy_ms,
  });
}

/** Another writer was faster; what is there now has to be looked at again. */
function overtaken(error: unknown): null {
  if (error instanceof WriteConflict) return null;
  throw error;
}

function recorded(
  desk: Desk,
  who: Authenticated,
  { outcome, row: at, replayed }: Arrival,
): Promise<Recorded> {
  return desk.store.read(function* () {
    const row = (yield* findWork(who.tenant, at.work_id)) ?? at;
    const kept = yield* findCase(who.tenant, row.work_id);
    if (!kept) throw new Error('a case just recorded is there');
    return { outcome, work: workView(row), case: caseSummary(kept), replayed: replayed ?? false };
  });
}

interface Arrival {
  readonly outcome: Recorded['outcome'];
  readonly row: WorkRow;
  /** The same request came before, under the same key. */
  readonly replayed?: true;
}

/** Nothing was written: an accepted answer of this case, or its thread's start, is still to be applied. */
interface InMotion {
  readonly outcome: 'in_motion';
  readonly row: WorkRow;
}

function* arrive(
  desk: Desk,
  who: Authenticated,
  prepared: PreparedCase,
  request: KeyedRequest,
  letter?: LetterTaken,
): Tx<Arrival | InMotion> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['scout', 'worker', 'operator'], 'recording an exception');
  const earlier = yield* earlierUse(caller, request);
  if (earlier?.work_id) {
    const row = yield* findWork(caller.tenant, earlier.work_id);
    if (row) return { outcome: firstOutcome(earlier, caller, row), row, replayed: true };
  }
  if (letter) yield* letter.begin();
  const known = yield* lockNewest(desk, caller.tenant, prepared.work.identitySha256);
  const kept = known ? yield* findCase(caller.tenant, known.work_id) : undefined;
  if (letter && known && kept) yield* refuseDecided(known, kept);
  const arrival =
    known && kept
      ? yield* arriveAgain(desk, who, caller, prepared, { row: known, kept }, request)
      : ({
          outcome: 'created',
          row: yield* openCase(desk, caller, prepared, null, request),
        } as const);
  if (arrival.outcome !== 'in_motion') yield* letter?.settle(caller) ?? [];
  return arrival;
}

/** What is put aside may be about a case that went on: nothing of it is done a second time. */
function* refuseDecided(row: WorkRow, kept: CaseRow): Tx<void> {
  const effects = yield* effectsOf(row.tenant, row.work_id);
  const done = effects.find((effect) => effect.outcome === 'confirmed');
  const why = decisionStands(row, kept)
    ? `was decided by ${kept.decided_by ?? 'somebody'}`
    : isTerminal(row.status)
      ? `ended as ${row.status}`
      : done && `had its effect ${done.operation_id} done`;
  if (!why) return;
  throw new Refusal(
    'ALREADY_DECIDED',
    `${row.work_id} ${why} meanwhile; close this letter`,
    kept.decision_id === null ? {} : { receiptId: kept.decision_id },
  );
}

/** The newest case of an identity, locked, so that whatever is decided about it is decided on how it stands. */
function* lockNewest(desk: Desk, tenant: string, identitySha256: string): Tx<WorkRow | undefined> {
  const found = yield* findByIdentity(tenant, CASE_KIND, identitySha256);
  if (!found) return undefined;
  const row = yield* lockWork(desk.store.dialect, tenant, found.work_id);
  const newest = yield* findByIdentity(tenant, CASE_KIND, identitySha256);
  if (newest?.work_id !== found.work_id) throw new WriteConflict(`a newer case follows ${found.work_id}`);
  return row;
}

function* arriveAgain(
  desk: Desk,
  who: Authenticated,
  caller: Caller,
  prepared: PreparedCase,
  { row, kept }: { readonly row: WorkRow; readonly kept: CaseRow },
  request: KeyedRequest,
): Tx<Arrival | InMotion> {
  const newer = prepared.occurredAt_ms > kept.occurred_at;
  const sha256 = prepared.work.inputSha256;
  const same = sha256 === row.input_sha256;
  const outdated =
    !same && (prepared.occurredAt_ms < kept.occurred_at || (!newer && (yield* wasSeen(row, sha256))));
  const ended = isTerminal(row.status);
  if (ended && newer) {
    const next = yield* openCase(desk, caller, prepared, row.work_id, request);
    return { outcome: 'follow_up', row: next };
  }
  if (!same && !outdated && !ended) return yield* renewContent(desk, who, prepared, { row, kept }, request);
  const how = outdated || !same ? 'outdated' : newer ? 'recurred' : 'redelivered';
  yield* observe(desk, caller, row, kept, { sha256, occurredAt_ms: prepared.occurredAt_ms, how });
  yield* rememberKey(caller, request, { work_id: row.work_id, receipt_id: null }, desk.now_ms());
  return { outcome: 'existing', row };
}

function* renewContent(
  desk: Desk,
  who: Authenticated,
  prepared: PreparedCase,
  { row, kept }: { readonly row: WorkRow; readonly kept: CaseRow },
  request: KeyedRequest,
): Tx<Arrival | InMotion> {
  if (row.pending_receipt !== null) return { outcome: 'in_motion', row };
  if (decisionStands(row, kept))
    throw new Refusal(
      'ALREADY_DECIDED',
      `${row.work_id} was decided by ${kept.decided_by ?? 'somebody'}; newer content is taken once the decision has reached its origin`,
    );
  const outcome = yield* updateCase(desk, who, row, prepared, request);
  if (outcome.kind === 'not_started') return { outcome: 'in_motion', row };
  // Thrown away with its refusal: the sender answered no wait, and is to come again.
  if (outcome.kind === 'refused')
    throw new Refusal('BUSY', `${row.work_id} cannot take newer content now: ${outcome.refusal.detail}`, {
      retryAfter_ms: RETRY_AFTER_ms,
    });
  return { outcome: 'corrected', row: outcome.row };
}

/** Whether a decision is on record and nobody has to decide anew, as after the report that its origin could not take it. */
function decisionStands(row: WorkRow, kept: CaseRow): boolean {
  return kept.decision_id !== null && !UNDECIDED.includes(row.status);
}

const UNDECIDED: readonly Status[] = ['READY', 'REWORK', 'IN_PROGRESS'];

/** Whether an earlier version of this case had this very content: then it is a late redelivery, not news. */
function* wasSeen(row: WorkRow, sha256: string): Tx<boolean> {
  const seen = yield* first(sql`
    SELECT 1 FROM input_versions WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND input_sha256 = ${sha256} LIMIT 1`);
  return seen !== undefined;
}
