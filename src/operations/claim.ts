import { CASE_KIND } from '../core/case.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { RESERVABLE_STATUSES } from '../core/transitions.js';
import { CLAIMABLE_STATUSES, type Status } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { earlierUse, keyedRequest } from '../gates/idempotency.js';
import { closeLease, openLease } from '../ledger/leases.js';
import { findLease, findVersion, lastHandoffOf, lateResultsOf } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import { all, listOf, sql, type Tx } from '../ledger/sql.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import { requireClaims } from './cases/room.js';
import { kindNamed, type Desk } from './desk.js';
import { keptItems } from './let-go.js';
import { claimNextRequest, claimRequest, parseRequest } from './requests.js';
import { handoffView, leaseView, receiptView, timeOrNull, workView } from './views.js';
import type { Finding } from '../core/work.js';

/**
 * Reserves a work for its caller. In READY and REWORK that starts it; in VP_REVIEW and OWNER_GATE it reserves the
 * judgement and moves nothing. Exactly one caller gets it.
 * @throws Refusal ALREADY_CLAIMED with the holder and since when, BLOCKED_BY, SELF_APPROVAL, STALE_INTERRUPT …
 */
export async function claim(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
) {
  const { interruptId } = parseRequest(claimRequest, body ?? {});
  const { work, receipt, replayed } = await answerWait(
    desk,
    who,
    workId,
    { action: 'claim', interruptId },
    options,
    {
      moves: (row) => !RESERVABLE_STATUSES.includes(row.status),
      *onAccept(row, caller) {
        const kind = kindNamed(desk, row.kind);
        const judgement = RESERVABLE_STATUSES.includes(row.status);
        const now_ms = desk.now_ms();
        // A reservation of a judgement that ran out leaves nothing behind to investigate.
        const closed = yield* closeLease(row, 'expired', now_ms);
        const opened = yield* openLease(row, {
          leaseId: desk.newId(),
          interruptId: row.interrupt_id ?? '',
          purpose: judgement ? 'judgement' : 'work',
          holder: { principal: caller.principal, actor: caller.actor },
          now_ms,
          lease_ms: judgement ? kind.reviewLease_ms : kind.lease.lease_ms,
          leaseLimit_ms: judgement ? kind.reviewLease_ms : kind.lease.leaseLimit_ms,
        });
        return { ...closed, ...opened };
      },
    },
  );
  return {
    claim: await desk.store.read(() => claimOf(work)),
    receipt: receiptView(receipt),
    work: workView(work),
    replayed,
  };
}

/** Everything a new holder needs to know of what it holds. */
function* claimOf(work: WorkRow) {
  const version = yield* findVersion(work.tenant, work.work_id, work.input_version);
  const lease = work.lease_id === null ? undefined : yield* findLease(work.lease_id);
  const late = yield* lateResultsOf(work.tenant, work.work_id, work.input_version);
  return {
    workId: work.work_id,
    threadId: work.thread_id,
    kind: work.kind,
    title: work.title,
    status: work.status,
    interruptId: work.interrupt_id,
    inputVersion: work.input_version,
    inputSha256: work.input_sha256,
    input: JSON.parse(version?.input ?? 'null') as unknown,
    artifactSha256: work.artifact_sha256,
    headSha: work.head_sha,
    leaseExpiresAt: timeOrNull(work.lease_expires_at),
    lease: lease ? leaseView(lease) : null,
    round: work.round,
    findings: JSON.parse(work.findings) as Finding[],
    handoff: yield* lastHandoff(work),
    /** Late results for this very input version, kept for reference: may be adopted by receipt ID. */
    references: late.map((receipt) => ({
      receiptId: receipt.receipt_id,
      by: receipt.principal,
      artifactSha256: receipt.artifact_sha256,
      code: receipt.code,
    })),
  };
}

/** What the last holder left; of its items those that corrections since then have not touched. */
function* lastHandoff(work: WorkRow) {
  const last = yield* lastHandoffOf(work.tenant, work.work_id);
  if (!last) return null;
  const handoff = handoffView(last);
  return { ...handoff, itemsKept: yield* keptItems(work, handoff.itemsDone, handoff.inputVersion) };
}

/**
 * Claims the next eligible work: READY or REWORK, none blocked by an open work, by priority then age.
 * Gives null when there is none. Others' simultaneous claims only make it look at the next one.
 */
export async function claimNext(desk: Desk, who: Authenticated, body: unknown, options: CallOptions = {}) {
  const { kinds, statuses } = parseRequest(claimNextRequest, body ?? {});
  const wanted: readonly Status[] = statuses ?? CLAIMABLE_STATUSES;
  // One key for the whole search: sent again, it gives what it found then, never a second work.
  const keyed = keyedRequest(options.idempotencyKey, 'claim-next', null, { kinds, statuses });
  const found = await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['worker'], 'claim');
    const earlier = yield* earlierUse(caller, keyed);
    if (earlier?.work_id) return { earlier: earlier.work_id };
    yield* requireClaims(caller.tenant);
    return { candidates: yield* eligible(who.tenant, kinds, wanted) };
  });
  const attempt = (workId: string, wait: { readonly interruptId?: string } = {}) =>
    claim(desk, who, workId, wait, { ...options, keyed });
  if ('earlier' in found) return await attempt(found.earlier);
  for (const { work_id: workId, interrupt_id: interruptId } of found.candidates) {
    try {
      // The wait is named: a work that others have taken to its review meanwhile must not become a reserved judgement.
      const claimed = await attempt(workId, { interruptId });
      // The same request sent twice at once: the other one was faster, with another work.
      return claimed.receipt.workId === workId ? claimed : await attempt(claimed.receipt.workId);
    } catch (error) {
      if (error instanceof Refusal && PASSED_OVER.includes(error.code)) continue;
      throw error;
    }
  }
  return null;
}

const PASSED_OVER: readonly string[] = [
  'ALREADY_CLAIMED',
  'ALREADY_DECIDED',
  'STALE_INTERRUPT',
  'BLOCKED_BY',
  'ACTION_NOT_ALLOWED',
];

interface Candidate {
  readonly work_id: string;
  readonly interrupt_id: string;
}

function* eligible(
  tenant: string,
  kinds: readonly string[] | undefined,
  statuses: readonly Status[],
): Tx<Candidate[]> {
  // A case waits for people: nobody is handed one who did not ask for cases. Cases, and only they, have a class.
  const noCase = kinds?.includes(CASE_KIND) ? sql`` : sql`AND w.class IS NULL`;
  const onlyCases = kinds?.every((kind) => kind === CASE_KIND);
  const ofKind = onlyCases
    ? sql`AND w.class IS NOT NULL`
    : kinds === undefined
      ? noCase
      : sql`${noCase} AND w.kind IN ${listOf([...kinds])}`;
  return yield* all<Candidate>(sql`
    SELECT w.work_id, w.interrupt_id FROM works w
    WHERE w.tenant = ${tenant} AND w.status IN ('READY', 'REWORK') AND w.pending_receipt IS NULL AND w.interrupt_id IS NOT NULL
      AND w.status IN ${listOf([...statuses])} ${ofKind}
      AND NOT EXISTS (
        SELECT 1 FROM work_blocks b LEFT JOIN works o ON o.tenant = b.tenant AND o.work_id = b.blocked_by
        WHERE b.tenant = w.tenant AND b.work_id = w.work_id AND (o.status IS NULL OR o.status NOT IN ('DONE', 'CANCELLED')))
    ORDER BY w.priority, w.created_at, w.work_id
    LIMIT ${LIMITS.claimCandidates}`);
}
