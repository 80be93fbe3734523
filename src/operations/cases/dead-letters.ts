import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { Refusal, invalid } from '../../core/refusals.js';
import type { Caller } from '../../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import { earlierUse, keyedRequest, rememberKey, type KeyedRequest } from '../../gates/idempotency.js';
import { actingName } from '../../gates/submission-guard.js';
import { findCase, type DeadLetterRow } from '../../ledger/case-rows.js';
import { findWork, lockWork } from '../../ledger/reads.js';
import { record } from '../../ledger/record.js';
import { all, first, run, sql, type Tx } from '../../ledger/sql.js';
import type { CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { deadLetterView } from './case-views.js';
import { giveUpCase } from './give-up.js';
import { tellOfLetter } from './keep-letter.js';
import { takeLetterIn, type Recorded } from './record-exception.js';
import { closeRequest, redriveRequest } from './requests.js';

const listRequest = z.strictObject({
  state: z.enum(['open', 'redriven', 'closed']).default('open'),
  limit: z.coerce.number().int().min(1).max(LIMITS.page_max).default(LIMITS.page_default),
  cursor: z.string().max(1000).optional(),
});

/** A page of dead letters, oldest first, with the exact total. Their bodies are not in it. */
export async function deadLetters(desk: Desk, who: Authenticated, query: unknown) {
  const { state, limit, cursor } = parseRequest(listRequest, query ?? {});
  const after = cursor === undefined ? null : readCursor(cursor);
  return await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'worker', 'reviewer', 'operator'], 'listing');
    const rows = yield* all<DeadLetterRow>(sql`
      SELECT * FROM dead_letters WHERE tenant = ${caller.tenant} AND state = ${state}
      ${after ? sql`AND (created_at > ${after.at} OR (created_at = ${after.at} AND dead_letter_id > ${after.id}))` : sql``}
      ORDER BY created_at, dead_letter_id LIMIT ${limit + 1}`);
    const count = yield* first<{ total: number }>(
      sql`SELECT count(*) AS total FROM dead_letters WHERE tenant = ${caller.tenant} AND state = ${state}`,
    );
    const last = rows[limit - 1];
    return {
      items: rows.slice(0, limit).map((row) => deadLetterView(row, desk.now_ms())),
      nextCursor:
        rows.length > limit && last
          ? Buffer.from(JSON.stringify([last.created_at, last.dead_letter_id])).toString('base64url')
          : null,
      total: count?.total ?? 0,
    };
  });
}

function readCursor(cursor: string): { at: number; id: string } {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof at === 'number' && typeof id === 'string') return { at, id };
  } catch {
    // falls through to the one answer for every cursor that is not ours
  }
  throw invalid('/cursor', 'is not a cursor of this list; start again without it');
}

/**
 * Tries again what was put aside: an intake as it came, or with a corrected body; a delivery with its count begun
 * anew. The human is not asked again.
 * @throws Refusal ALREADY_DECIDED when the original was decided, carried out or told meanwhile
 */
export async function redrive(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
) {
  const asked = parseRequest(redriveRequest, body);
  const request = keyedRequest(options.idempotencyKey, 'redrive', id, asked);
  const { reason, body: corrected } = asked;
  const letter = await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['operator'], 'redriving');
    // One that is settled is told so before its body is looked at, unless this very request settled it.
    return (yield* earlierUse(caller, request))
      ? yield* letterNamed(who.tenant, id)
      : yield* openLetter(who.tenant, id);
  });
  if (letter.source === 'outbox') return await redriveDelivery(desk, who, id, reason, request);
  const text = corrected === undefined ? letter.body : JSON.stringify(corrected);
  const recorded = await takeLetterIn(desk, who, parsedBody(text), request, {
    *begin() {
      yield* openLetter(who.tenant, id);
    },
    *settle(caller) {
      requireRole(caller, ['operator'], 'redriving');
      yield* settleLetter(desk, caller, yield* openLetter(who.tenant, id), 'redriven', reason);
    },
  });
  const now = await desk.store.read(() => letterNamed(who.tenant, id));
  return {
    deadLetter: deadLetterView(now, desk.now_ms()),
    case: recorded.case,
    replayed: recorded.replayed,
  };
}

function redriveDelivery(
  desk: Desk,
  who: Authenticated,
  id: string,
  reason: string,
  request: KeyedRequest,
): Promise<Redriven> {
  return desk.store.write(function* (): Tx<Redriven> {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['operator'], 'redriving');
    const replay = yield* settledBefore(desk, caller, id, request);
    if (replay) return { ...replay, case: null };
    const letter = yield* openLetter(who.tenant, id);
    yield* tellAgain(desk, letter, caller, reason);
    const deadLetter = yield* settleLetter(desk, caller, letter, 'redriven', reason);
    yield* rememberKey(caller, request, { work_id: letter.work_id, receipt_id: null }, desk.now_ms());
    return { deadLetter, case: null, replayed: false };
  });
}

export interface Redriven {
  readonly deadLetter: ReturnType<typeof deadLetterView>;
  readonly case: Recorded['case'] | null;
  readonly replayed: boolean;
}

/** The letter as it was settled by the same request under the same key. */
function* settledBefore(desk: Desk, caller: Caller, id: string, request: KeyedRequest) {
  if ((yield* earlierUse(caller, request)) === null) return null;
  return {
    deadLetter: deadLetterView(yield* letterNamed(caller.tenant, id), desk.now_ms()),
    replayed: true,
  };
}

function parsedBody(text: string | null): unknown {
  if (text === null) throw invalid('/body', 'is required: the original is no longer kept');
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('/body', 'is required: the original is not JSON');
  }
}

function* tellAgain(desk: Desk, letter: DeadLetterRow, caller: Caller, reason: string): Tx<void> {
  const row = yield* lockWork(desk.store.dialect, letter.tenant, letter.work_id ?? '');
  const kept = yield* findCase(letter.tenant, letter.work_id ?? '');
  const stands = row?.status === 'MERGE_READY' && kept?.decision_id === letter.source_id;
  if (!row || !stands)
    throw new Refusal(
      'ALREADY_DECIDED',
      `${letter.work_id ?? 'its case'} does not wait for this delivery any more: it stands at ${row?.status ?? 'nowhere'}`,
    );
  yield* run(sql`
    UPDATE outbox SET state = 'unknown', failures = 0, next_at = ${desk.now_ms()}, taken_by = NULL, taken_until = NULL
    WHERE delivery_id = ${letter.source_id} AND state = 'dead'`);
  yield* record(row, {
    type: 'case.redriven',
    by: actingName(caller),
    at_ms: desk.now_ms(),
    data: { deliveryId: letter.source_id, reason },
  });
}

/**
 * Closes a letter for good; what it was about is given up, and why is on record. A case that waits for nothing but
 * this delivery ends.
 */
export async function closeDeadLetter(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
) {
  const asked = parseRequest(closeRequest, body);
  const { reason } = asked;
  const request = keyedRequest(options.idempotencyKey, 'close-letter', id, asked);
  const found = await desk.store.read(function* () {
    requireRole(yield* authenticatedCaller(who), ['operator'], 'closing a dead letter');
    return yield* letterNamed(who.tenant, id);
  });
  if (found.state === 'open') await giveUpCase(desk, who, found, reason);
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['operator'], 'closing a dead letter');
    const replay = yield* settledBefore(desk, caller, id, request);
    if (replay) return replay;
    const letter = yield* openLetter(who.tenant, id);
    const work = letter.work_id === null ? undefined : yield* findWork(letter.tenant, letter.work_id);
    if (work) {
      yield* record(work, {
        type: 'case.letter_closed',
        by: actingName(caller),
        at_ms: desk.now_ms(),
        data: { deadLetterId: id, reason },
      });
    }
    const deadLetter = yield* settleLetter(desk, caller, letter, 'closed', reason);
    yield* rememberKey(caller, request, { work_id: letter.work_id, receipt_id: null }, desk.now_ms());
    return { deadLetter, replayed: false };
  });
}

function* letterNamed(tenant: string, id: string): Tx<DeadLetterRow> {
  const letter = yield* first<DeadLetterRow>(
    sql`SELECT * FROM dead_letters WHERE tenant = ${tenant} AND dead_letter_id = ${id}`,
  );
  if (!letter) throw new Refusal('NOT_FOUND', `no dead letter ${id}`);
  return letter;
}

function* openLetter(tenant: string, id: string): Tx<DeadLetterRow> {
  const letter = yield* letterNamed(tenant, id);
  if (letter.state !== 'open')
    throw new Refusal('ALREADY_DECIDED', `${letter.settled_by ?? 'somebody'} has ${letter.state} it already`);
  return letter;
}

function* settleLetter(
  desk: Desk,
  caller: Caller,
  letter: DeadLetterRow,
  state: 'redriven' | 'closed',
  reason: string,
) {
  const settled = {
    state,
    settled_by: actingName(caller),
    settled_reason: reason,
    settled_at: desk.now_ms(),
  } as const;
  const row = { ...letter, ...settled };
  const journal_seq = yield* tellOfLetter(row, `letter.${state}`, settled.settled_by, settled.settled_at);
  yield* run(sql`
    UPDATE dead_letters SET state = ${state}, settled_by = ${settled.settled_by}, settled_reason = ${reason},
      settled_at = ${settled.settled_at}, journal_seq = ${journal_seq}
    WHERE dead_letter_id = ${letter.dead_letter_id} AND state = 'open'`);
  return deadLetterView(row, desk.now_ms());
}
