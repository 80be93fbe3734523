import { setTimeout as pause } from 'node:timers/promises';
import { CASE_KIND } from '../core/case.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { CLAIMABLE_STATUSES, type Status } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { earlierUse, keyedRequest, type KeyedRequest } from '../gates/idempotency.js';
import { guardSubmission, type GuardOutcome } from '../gates/submission-guard.js';
import { first, fixed, listOf, sql, type Statement, type Tx } from '../ledger/sql.js';
import { afterGuard, type CallOptions } from './answer-wait.js';
import { requireClaims } from './cases/room.js';
import { claim, claimed, takingHold } from './claim.js';
import type { Desk } from './desk.js';
import { gateContext } from './gate-context.js';
import { claimNextRequest, parseRequest } from './requests.js';

/**
 * Claims the next eligible work: READY or REWORK, none blocked by an open work, by priority then age. It is looked up
 * in the transaction that claims it, so others who claim at the same time get the ones after it.
 * @returns null when there is none
 * @throws Refusal BUSY where there is work and others were at all of it, each time
 */
export async function claimNext(desk: Desk, who: Authenticated, body: unknown, options: CallOptions = {}) {
  const { kinds, statuses } = parseRequest(claimNextRequest, body ?? {});
  // One key for the whole search: sent again, it gives what it found then, never a second work.
  const keyed = keyedRequest(options.idempotencyKey, 'claim-next', null, { kinds, statuses });
  const passedOver: string[] = [];
  const search = { kinds, statuses: statuses ?? CLAIMABLE_STATUSES, passedOver };
  for (let look = 0; look < LIMITS.claimLooks; look += 1) {
    if (look > 0) await pause(Math.random() * LIMITS.claimPause_ms * look);
    // A look is no write: many wait for work with nothing to do.
    const seen = await desk.store.read(() => nextFor(who, keyed, search, fixed('')));
    if (seen === null) return null;
    const found = await desk.store.write(() => claimFound(desk, who, keyed, search));
    if (found === null) continue;
    if ('earlier' in found) return await claim(desk, who, found.earlier, {}, { ...options, keyed });
    if (found.kind === 'refused' && PASSED_OVER.includes(found.refusal.code)) {
      passedOver.push(found.receipt.work_id);
      continue;
    }
    return await claimed(desk, await afterGuard(desk, found, options.wait_ms));
  }
  throw new Refusal('BUSY', 'there is work, and others were at it each time', {
    retryAfter_ms: LIMITS.claimPause_ms,
  });
}

/** Refusals of this one work, after which another may be claimed all the same. */
const PASSED_OVER: readonly string[] = [
  'ALREADY_CLAIMED',
  'ALREADY_DECIDED',
  'STALE_INTERRUPT',
  'BLOCKED_BY',
  'ACTION_NOT_ALLOWED',
];

interface Search {
  readonly kinds: readonly string[] | undefined;
  readonly statuses: readonly Status[];
  readonly passedOver: readonly string[];
}

interface Candidate {
  readonly work_id: string;
  readonly interrupt_id: string;
}

type Earlier = { readonly earlier: string };

function* claimFound(
  desk: Desk,
  who: Authenticated,
  keyed: KeyedRequest,
  search: Search,
): Tx<GuardOutcome | Earlier | null> {
  // Works that others are at are passed over instead of waited for.
  const next = yield* nextFor(who, keyed, search, desk.store.dialect.skipLocked);
  if (next === null || 'earlier' in next) return next;
  const submission = { action: 'claim', interruptId: next.interrupt_id } as const;
  const outcome = yield* guardSubmission(
    gateContext(desk),
    who,
    next.work_id,
    submission,
    keyed,
    takingHold(desk),
  );
  // The same request, sent twice at once, was answered while this one looked: its work is the answer, not the one found.
  return outcome.kind === 'replayed' ? { earlier: outcome.receipt.work_id } : outcome;
}

/** The work to claim now, or the one that this very request has claimed already. */
function* nextFor(
  who: Authenticated,
  keyed: KeyedRequest,
  search: Search,
  lock: Statement,
): Tx<Candidate | Earlier | null> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['worker'], 'claim');
  const earlier = yield* earlierUse(caller, keyed);
  if (earlier?.work_id) return { earlier: earlier.work_id };
  yield* requireClaims(caller.tenant);
  return (yield* firstEligible(caller.tenant, search, lock)) ?? null;
}

function firstEligible(
  tenant: string,
  { kinds, statuses, passedOver }: Search,
  lock: Statement,
): Tx<Candidate | undefined> {
  // A case waits for people: nobody is handed one who did not ask for cases. Cases, and only they, have a class.
  const noCase = kinds?.includes(CASE_KIND) ? sql`` : sql`AND w.class IS NULL`;
  const onlyCases = kinds?.every((kind) => kind === CASE_KIND);
  const ofKind = onlyCases
    ? sql`AND w.class IS NOT NULL`
    : kinds === undefined
      ? noCase
      : sql`${noCase} AND w.kind IN ${listOf([...kinds])}`;
  const others = passedOver.length === 0 ? sql`` : sql`AND w.work_id NOT IN ${listOf([...passedOver])}`;
  return first<Candidate>(sql`
    SELECT w.work_id, w.interrupt_id FROM works w
    WHERE w.tenant = ${tenant} AND w.status IN ('READY', 'REWORK') AND w.pending_receipt IS NULL AND w.interrupt_id IS NOT NULL
      AND w.status IN ${listOf([...statuses])} ${ofKind} ${others}
      AND NOT EXISTS (
        SELECT 1 FROM work_blocks b LEFT JOIN works o ON o.tenant = b.tenant AND o.work_id = b.blocked_by
        WHERE b.tenant = w.tenant AND b.work_id = w.work_id AND (o.status IS NULL OR o.status NOT IN ('DONE', 'CANCELLED')))
    ORDER BY w.priority, w.created_at, w.work_id
    LIMIT 1 ${lock}`);
}
