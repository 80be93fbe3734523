import { keptText } from '../../core/kept-text.js';
import { LIMITS } from '../../core/limits.js';
import { Refusal, invalid } from '../../core/refusals.js';
import type { Submission } from '../../core/submission.js';
import { requireRole, type Authenticated } from '../../gates/authorization.js';
import { currentOf } from '../../gates/facts.js';
import { earlierUse, keyedRequest, rememberKey, type KeyedRequest } from '../../gates/idempotency.js';
import {
  actingName,
  guardSubmission,
  visibleWork,
  type Effects,
  type GuardOutcome,
} from '../../gates/submission-guard.js';
import { findCase, type CaseRow } from '../../ledger/case-rows.js';
import { findReceipt, lockWork } from '../../ledger/reads.js';
import { record } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { run, sql, type Tx } from '../../ledger/sql.js';
import { afterGuard, answerWait, type CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { gateContext } from '../gate-context.js';
import { judged, type Judged } from '../judge.js';
import { parseRequest } from '../requests.js';
import { deskWithin } from './desk-principal.js';
import { caseNamed } from './find-case.js';
import { insertEvidence } from './observe.js';
import { evidenceFrom } from './prepare-case.js';
import { endQuestion } from './question.js';
import { provideInfoRequest, requestInfoRequest } from './requests.js';

/**
 * The holder needs more material: the case waits, with who is asked and until when; its clock stands still and it
 * stays its holder's.
 */
export async function requestInfo(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const request = parseRequest(requestInfoRequest, body);
  const { interruptId, who: asked, what, until } = request;
  const until_ms = Date.parse(until);
  if (until_ms <= desk.now_ms()) throw invalid('/until', 'must lie ahead');
  const { row } = await desk.store.read(() => caseNamed(who, id));
  // A question is more than its block: the same key with another person or time is another request.
  const keyed = {
    ...options,
    keyed: keyedRequest(options.idempotencyKey, 'request-info', row.work_id, request),
  };
  return judged(
    await answerWait(desk, who, row.work_id, { action: 'block', interruptId, reason: what }, keyed, {
      *onAccept(current) {
        yield* run(sql`
          UPDATE cases SET asked_who = ${asked}, asked_what = ${what}, asked_at = ${desk.now_ms()}, asked_until = ${until_ms}
          WHERE tenant = ${current.tenant} AND work_id = ${current.work_id}`);
        return {};
      },
    }),
  );
}

/**
 * The material that was asked for. Whoever may work here or raise exceptions may bring it; the case then goes back
 * to its holder, in the transaction that keeps the material. The desk gives it back, because whoever brings material
 * need not hold the case.
 */
export async function provideInfo(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const brought = parseRequest(provideInfoRequest, body);
  const { reason, evidence } = brought;
  const items = evidenceFrom(desk, evidence);
  const outcome = await desk.store.write(function* (): Tx<GuardOutcome> {
    const named = yield* caseNamed(who, id);
    requireRole(named.caller, ['scout', 'worker', 'reviewer', 'operator'], 'bringing material');
    const row = yield* visibleWork(desk.store.dialect, named.caller, named.row.work_id);
    const request = keyedRequest(options.idempotencyKey, 'provide-info', row.work_id, brought);
    const earlier = yield* earlierUse(named.caller, request);
    const before = earlier?.receipt_id ? yield* findReceipt(earlier.receipt_id) : undefined;
    if (before) return { kind: 'replayed', row, receipt: before };
    yield* waitingCase(row);
    const now_ms = desk.now_ms();
    yield* insertEvidence(row, items, named.caller.principal, now_ms);
    yield* record(row, {
      type: 'case.material',
      by: actingName(named.caller),
      at_ms: now_ms,
      data: { reason, evidence: items.map((item) => item.sha256) },
    });
    const answered = yield* guardSubmission(
      gateContext(desk),
      yield* deskWithin(row.tenant, now_ms),
      row.work_id,
      giveBack(row, `material brought by ${who.principal}: ${reason}`),
      UNKEYED,
      GIVING_BACK,
    );
    // The material is not kept either: its bringer may send it again.
    if (answered.kind === 'refused') throw answered.refusal;
    if (answered.kind === 'accepted')
      yield* rememberKey(
        named.caller,
        request,
        { work_id: row.work_id, receipt_id: answered.receipt.receipt_id },
        now_ms,
      );
    return answered;
  });
  return judged(await afterGuard(desk, outcome, options.wait_ms));
}

/**
 * Gives back a case whose question ran out. That the question still stands is looked at in the transaction that
 * gives it back: whoever ended it meanwhile may have blocked the case for a reason of their own.
 */
export async function stopWaiting(
  desk: Desk,
  tenant: string,
  workId: string,
  reason: string,
): Promise<Judged | null> {
  const outcome = await desk.store.write(function* () {
    const row = yield* lockWork(desk.store.dialect, tenant, workId);
    const kept = row && (yield* findCase(tenant, workId));
    const over = kept?.asked_until != null && kept.asked_until <= desk.now_ms();
    if (!row || !over || row.status !== 'BLOCKED' || row.pending_receipt !== null) return null;
    return yield* guardSubmission(
      gateContext(desk),
      yield* deskWithin(tenant, desk.now_ms()),
      workId,
      giveBack(row, reason),
      UNKEYED,
      GIVING_BACK,
    );
  });
  if (outcome === null) return null;
  return judged(await afterGuard(desk, outcome));
}

/** @throws Refusal ACTION_NOT_ALLOWED where no question is open, ALREADY_DECIDED where its answer is being applied */
function* waitingCase(row: WorkRow): Tx<CaseRow> {
  const kept = yield* findCase(row.tenant, row.work_id);
  if (kept?.asked_who == null || row.status !== 'BLOCKED')
    throw new Refusal('ACTION_NOT_ALLOWED', `nothing is asked about ${row.work_id}`, {
      current: currentOf(row),
    });
  if (row.pending_receipt !== null)
    throw new Refusal('ALREADY_DECIDED', `${row.work_id} goes on already`, { current: currentOf(row) });
  return kept;
}

const UNKEYED: KeyedRequest = { idempotencyKey: undefined, digest: '' };

const giveBack = (row: WorkRow, reason: string): Submission => ({
  action: 'unblock',
  interruptId: row.interrupt_id ?? undefined,
  reason: keptText(reason, LIMITS.reason_chars),
});

const GIVING_BACK: Effects = {
  *onAccept(row) {
    yield* endQuestion(row);
    return {};
  },
};
