import { isExpired } from '../core/guard.js';
import type { Change } from '../core/identity.js';
import { untouchedItems } from '../core/kept-items.js';
import { Refusal } from '../core/refusals.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { currentOf, leaseFacts } from '../gates/facts.js';
import { earlierUse, keyedRequest, rememberKey } from '../gates/idempotency.js';
import { actingName, visibleWork } from '../gates/submission-guard.js';
import { changeLease } from '../ledger/leases.js';
import { findLease, leasesOf, versionsAfter } from '../ledger/reads.js';
import { record } from '../ledger/record.js';
import type { LeaseRow, WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import type { CallOptions } from './answer-wait.js';
import { kindNamed, type Desk } from './desk.js';
import { reportedItems } from './let-go.js';
import { parseRequest, renewRequest } from './requests.js';
import { leaseView, timeOrNull } from './views.js';

/**
 * Extends the holder's lease by the kind's lease length, never beyond its total limit; without new progress for
 * longer than the kind allows it is not extended any more. The same request under its key extends it once.
 * @throws Refusal NOT_HOLDER, STALE_INTERRUPT, INPUT_CHANGED with what changed, LEASE_EXPIRED, NO_PROGRESS
 */
export async function renew(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
) {
  const request = parseRequest(renewRequest, body);
  const keyed = keyedRequest(options.idempotencyKey, 'renew', workId, request);
  const outcome = await desk.store.write(function* (): Tx<{ refusal: Refusal } | { lease: LeaseRow }> {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['worker', 'reviewer'], 'renew');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    if (yield* earlierUse(caller, keyed)) {
      const own = (yield* leasesOf(row.tenant, row.work_id)).filter(
        ({ holder }) => holder === caller.principal,
      );
      const last = own.at(-1);
      if (last) return { lease: last };
    }
    const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
    const now_ms = desk.now_ms();
    const moved = lease ? progressed(lease, request.progress) : false;
    const refusal = yield* refusalOf(desk, row, lease, caller.principal, request.interruptId, moved, now_ms);
    if (refusal) {
      yield* record(row, {
        type: 'lease.renewal_refused',
        by: actingName(caller),
        at_ms: now_ms,
        data: { code: refusal.code, detail: refusal.detail },
      });
      return { refusal };
    }
    if (!lease) throw new Error('a lease that was checked is there');
    const policy = kindNamed(desk, row.kind).lease;
    const changes = {
      state: moved && lease.state === 'reserved' ? ('working' as const) : lease.state,
      expires_at: extended(lease, now_ms + policy.lease_ms),
      last_answer_at: now_ms,
      extensions: lease.extensions + 1,
      ...(moved ? { last_progress_at: now_ms, progress: JSON.stringify(request.progress) } : {}),
    };
    const columns = yield* changeLease(row, changes);
    yield* record(
      row,
      {
        type: 'lease.renewed',
        by: actingName(caller),
        at_ms: now_ms,
        data: { progress: request.progress ?? null, moved },
      },
      columns,
    );
    yield* rememberKey(caller, keyed, { work_id: row.work_id, receipt_id: null }, now_ms);
    return { lease: { ...lease, ...changes } };
  });
  if ('refusal' in outcome) throw outcome.refusal;
  return { leaseExpiresAt: timeOrNull(outcome.lease.expires_at), lease: leaseView(outcome.lease) };
}

/** Never beyond the total limit, never sooner than before; while parked the clock stands still. */
function extended(lease: LeaseRow, until_ms: number): number | null {
  if (lease.expires_at === null) return null;
  return Math.max(lease.expires_at, Math.min(until_ms, lease.limit_at));
}

/** A heartbeat alone is no progress: something that is counted, named or noted must have changed. */
function progressed(lease: LeaseRow, progress: unknown): boolean {
  return progress !== undefined && JSON.stringify(progress) !== lease.progress;
}

function* refusalOf(
  desk: Desk,
  row: WorkRow,
  lease: LeaseRow | undefined,
  principal: string,
  interruptId: string,
  moved: boolean,
  now_ms: number,
): Tx<Refusal | null> {
  const current = currentOf(row);
  if (lease && lease.holder !== principal)
    return new Refusal('NOT_HOLDER', `${lease.holder} holds ${row.work_id}`, {
      current,
      holder: lease.holder,
    });
  if (!lease) return new Refusal('NOT_HOLDER', `nobody holds ${row.work_id}`, { current });
  if (interruptId !== row.interrupt_id) {
    const newer = yield* versionsAfter(row.tenant, row.work_id, row.input_version - 1);
    const latest = newer.at(-1);
    if (latest && latest.version > 1 && latest.at >= lease.claimed_at) {
      const changes = JSON.parse(latest.changes) as Change[];
      return new Refusal('INPUT_CHANGED', `the input was corrected to version ${row.input_version}`, {
        current,
        changes,
        kept: untouchedItems(reportedItems(lease), changes),
      });
    }
    return new Refusal('STALE_INTERRUPT', `interruptId ${interruptId} is not the current wait`, { current });
  }
  if (row.pending_receipt !== null)
    return new Refusal('ALREADY_DECIDED', 'this wait has its answer', {
      current,
      receiptId: row.pending_receipt,
    });
  if (lease.expires_at !== null && (isExpired(leaseFacts(lease), now_ms) || lease.limit_at <= now_ms)) {
    return new Refusal('LEASE_EXPIRED', `the lease ended at ${timeOrNull(lease.expires_at) ?? ''}`, {
      current,
    });
  }
  const quietSince = lease.last_progress_at ?? lease.claimed_at;
  if (!moved && now_ms - quietSince > kindNamed(desk, row.kind).lease.noProgress_ms) {
    return new Refusal('NO_PROGRESS', `no progress since ${timeOrNull(quietSince) ?? ''}`, { current });
  }
  return null;
}
