import { LIMITS } from '../core/limits.js';
import { lockWork } from '../ledger/reads.js';
import { changeLease, closeLease } from '../ledger/leases.js';
import { record } from '../ledger/record.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import { asDesk, DESK_PRINCIPAL } from './cases/desk-principal.js';
import { kindNamed, type Desk } from './desk.js';
import { investigate } from './investigate.js';
import { leftNothing, traces } from './investigation.js';

interface Expired {
  tenant: string;
  work_id: string;
  purpose: 'work' | 'judgement';
}

/**
 * Finds reservations that have run out, also those that did while nothing was running, and opens their
 * investigation. It never queues anything again: only a recorded finding does (I6).
 * @returns how many it found
 */
export async function expireLeases(desk: Desk): Promise<number> {
  const due = await desk.store.read(() => expired(desk.now_ms()));
  for (const { tenant, work_id } of due) {
    const automatic = await desk.store.write(() => expire(desk, tenant, work_id));
    if (automatic) await findNothing(desk, tenant, work_id);
  }
  return due.length;
}

const expired = (now_ms: number): Tx<Expired[]> =>
  all<Expired>(sql`
    SELECT w.tenant, w.work_id, l.purpose FROM works w JOIN leases l ON l.lease_id = w.lease_id
    WHERE w.lease_expires_at IS NOT NULL AND w.lease_expires_at <= ${now_ms} AND w.lease_state IN ('reserved', 'working')
      AND w.pending_receipt IS NULL
    ORDER BY w.lease_expires_at LIMIT ${LIMITS.recoveryBatch}`);

/** @returns whether the kind lets an empty-handed expiry be found without a person */
function* expire(desk: Desk, tenant: string, workId: string): Tx<boolean> {
  const row = yield* lockWork(desk.store.dialect, tenant, workId);
  const now_ms = desk.now_ms();
  if (!row || row.lease_expires_at === null || row.lease_expires_at > now_ms || row.pending_receipt !== null)
    return false;
  if (row.lease_state !== 'reserved' && row.lease_state !== 'working') return false;
  const by = { by: DESK_PRINCIPAL, at_ms: now_ms };
  if (row.status !== 'IN_PROGRESS') {
    // A judgement that nobody gave: whoever comes next may reserve it again, there is nothing to investigate.
    yield* record(
      row,
      { type: 'reservation.expired', ...by, data: { holder: row.holder } },
      yield* closeLease(row, 'expired', now_ms),
    );
    return false;
  }
  const found = yield* traces(row);
  const columns = yield* changeLease(row, { state: 'unknown' });
  yield* record(
    row,
    { type: 'lease.expired', ...by, data: { holder: row.holder, investigation: countsOf(found) } },
    columns,
  );
  const kind = kindNamed(desk, row.kind);
  return kind.autoNothingFound && kind.effects.length === 0 && leftNothing(found);
}

function countsOf(found: {
  partials: readonly unknown[];
  unsubmitted: readonly unknown[];
  lateResults: readonly unknown[];
  effects: readonly unknown[];
}) {
  return {
    partials: found.partials.length,
    unsubmitted: found.unsubmitted.length,
    lateResults: found.lateResults.length,
    effects: found.effects.length,
  };
}

/** The automatic finding goes the way of every finding: guarded, with a receipt and a history row of its own. */
async function findNothing(desk: Desk, tenant: string, workId: string): Promise<void> {
  const body = {
    finding: 'nothing_found',
    evidenceRef: 'automatic: nothing was stored, and this kind has no effects outside',
  };
  await investigate(desk, await asDesk(desk, tenant), workId, body);
}
