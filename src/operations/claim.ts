import { RESERVABLE_STATUSES } from '../core/transitions.js';
import type { Finding } from '../core/work.js';
import type { Authenticated } from '../gates/authorization.js';
import type { Effects } from '../gates/submission-guard.js';
import { closeLease, openLease } from '../ledger/leases.js';
import { findLease, findVersion, lastHandoffOf, lateResultsOf } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import { answerWait, type Answered, type CallOptions } from './answer-wait.js';
import { kindNamed, type Desk } from './desk.js';
import { keptItems } from './let-go.js';
import { claimRequest, parseRequest } from './requests.js';
import { handoffView, leaseView, receiptView, timeOrNull, workView } from './views.js';

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
  return await claimed(
    desk,
    await answerWait(desk, who, workId, { action: 'claim', interruptId }, options, takingHold(desk)),
  );
}

/** What a claim does besides being accepted. */
export function takingHold(desk: Desk): Effects {
  return {
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
  };
}

/** The answer to a claim that was accepted. */
export async function claimed(desk: Desk, { work, receipt, replayed }: Answered) {
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
