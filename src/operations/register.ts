import { changesBetween } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import type { Caller } from '../core/work.js';
import { authenticatedCaller, maySee, requireRole, type Authenticated } from '../gates/authorization.js';
import { currentOf } from '../gates/facts.js';
import {
  earlierUse,
  firstOutcome,
  keyedRequest,
  rememberKey,
  type KeyedRequest,
} from '../gates/idempotency.js';
import { findByIdentity, findVersion, findWork } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import { applyWithin, type CallOptions } from './answer-wait.js';
import { requireIntake } from './cases/room.js';
import { correct } from './correct.js';
import { createWork } from './create-work.js';
import type { Desk } from './desk.js';
import { prepare, type Prepared } from './prepare.js';
import { parseRequest, registerRequest } from './requests.js';

export interface Registered {
  readonly outcome: 'created' | 'existing' | 'corrected' | 'follow_up';
  readonly work: WorkRow;
  /** The same request came before, under the same key. */
  readonly replayed: boolean;
}

/**
 * Registers work: one identity, one work. The same content again finds it; other content is a correction or a
 * refusal; a workId that belongs to another identity is refused. The work stands at DISCOVERED until promoted.
 * @throws Refusal INVALID, CONTENT_CHANGED, WORK_ID_CONFLICT, FORBIDDEN
 */
export async function register(
  desk: Desk,
  who: Authenticated,
  body: unknown,
  options: CallOptions = {},
): Promise<Registered> {
  const prepared = prepare(desk, parseRequest(registerRequest, body));
  const request = keyedRequest(options.idempotencyKey, 'register', null, prepared.request);
  const result = await desk.store.write(() => registerOnce(desk, who, prepared, request));
  if (result.kind === 'correction') {
    return await correct(
      desk,
      who,
      result.row,
      { ...prepared, reason: prepared.request.correction?.reason ?? '' },
      // The key stands for the whole registration, so that the same one again is recognised before anything is corrected.
      { ...options, keyed: request },
    );
  }
  if (result.row.pending_receipt === null)
    return { outcome: result.outcome, replayed: result.replayed ?? false, work: result.row };
  if (result.outcome === 'created' || result.outcome === 'follow_up')
    await applyWithin(desk, who.tenant, result.row.work_id, options.wait_ms);
  return {
    outcome: result.outcome,
    replayed: result.replayed ?? false,
    work: (await desk.store.read(() => findWork(who.tenant, result.row.work_id))) ?? result.row,
  };
}

type Outcome =
  | {
      readonly kind: 'done';
      readonly outcome: 'created' | 'existing' | 'corrected' | 'follow_up';
      readonly row: WorkRow;
      readonly replayed?: true;
    }
  | { readonly kind: 'correction'; readonly row: WorkRow };

/** One registration inside a transaction; `import` runs many of these in one. */
export function* registerOnce(
  desk: Desk,
  who: Authenticated,
  prepared: Prepared,
  request: KeyedRequest,
  starts?: false,
): Tx<Outcome> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['scout', 'worker', 'operator'], 'register');
  const earlier = yield* earlierUse(caller, request);
  if (earlier?.work_id) {
    const row = yield* findWork(caller.tenant, earlier.work_id);
    if (row) return { kind: 'done', outcome: firstOutcome(earlier, caller, row), row, replayed: true };
  }
  const { kind, workId, identitySha256, request: asked } = prepared;
  const byIdentity = yield* findByIdentity(caller.tenant, kind.name, identitySha256);
  const byId =
    asked.workId === undefined || asked.workId === byIdentity?.work_id
      ? byIdentity
      : yield* findWork(caller.tenant, workId);
  if (byId && byId.identity_sha256 !== identitySha256) {
    throw new Refusal('WORK_ID_CONFLICT', `workId ${workId} belongs to another work`);
  }
  if (!byIdentity) yield* requireIntake(caller.tenant);
  if (!byIdentity)
    return {
      kind: 'done',
      outcome: 'created',
      row: yield* createWork(desk, caller, prepared, workId, null, request, {
        status: 'DISCOVERED',
        class: null,
        ...(starts === false ? { starts } : {}),
      }),
    };
  if (asked.workId !== undefined && byIdentity.work_id !== asked.workId && !isEnded(byIdentity)) {
    throw new Refusal(
      'WORK_ID_CONFLICT',
      `this work is known as ${maySee(caller, byIdentity) ? byIdentity.work_id : 'another workId'}`,
    );
  }
  if (byIdentity.input_sha256 === prepared.inputSha256) {
    yield* rememberKey(caller, request, { work_id: byIdentity.work_id, receipt_id: null }, desk.now_ms());
    return { kind: 'done', outcome: 'existing', row: byIdentity };
  }
  return yield* changed(desk, caller, prepared, byIdentity, request);
}

/** Known work, other content: a correction if its sender says so. */
function* changed(
  desk: Desk,
  caller: Caller,
  prepared: Prepared,
  known: WorkRow,
  request: KeyedRequest,
): Tx<Outcome> {
  if (!prepared.request.correction) {
    const version = yield* findVersion(known.tenant, known.work_id, known.input_version);
    const changes = changesBetween(JSON.parse(version?.input ?? 'null'), JSON.parse(prepared.inputText));
    throw new Refusal(
      'CONTENT_CHANGED',
      `${known.work_id} is known with other content: ${changes.map((change) => change.path || '/').join(', ')}`,
      {
        current: currentOf(known),
        changes,
      },
    );
  }
  if (!isEnded(known)) return { kind: 'correction', row: known };
  // What is done stays done: a correction afterwards is new work that links back.
  const workId = `${known.work_id}~${desk.newId().slice(-12)}`;
  return {
    kind: 'done',
    outcome: 'follow_up',
    row: yield* createWork(desk, caller, prepared, workId, known.work_id, request),
  };
}

function isEnded(row: WorkRow): boolean {
  return row.status === 'DONE' || row.status === 'CANCELLED';
}
