import { LIMITS } from '../core/limits.js';
import { findsNothingAlone } from '../core/rules.js';
import { DESK_PRINCIPAL } from '../core/work.js';
import { lockWork } from '../ledger/reads.js';
import { changeLease, closeLease } from '../ledger/leases.js';
import { record } from '../ledger/record.js';
import type { WorkRow } from '../ledger/rows.js';
import { all, listOf, sql, type Tx } from '../ledger/sql.js';
import { asDesk } from './cases/desk-principal.js';
import type { Desk } from './desk.js';
import { findNothing } from './investigate.js';
import { leftNothing, traces } from './investigation.js';

interface Silent {
  tenant: string;
  work_id: string;
}

/**
 * Finds reservations that have run out, also those that did while nothing was running, and opens their
 * investigation. It never queues anything again: only a recorded finding does (I6).
 * @returns how many it found
 */
export async function expireLeases(desk: Desk): Promise<number> {
  const due = await desk.store.read(() => expired(desk.now_ms()));
  for (const { tenant, work_id } of due) {
    // One that cannot be expired, say because its kind is no longer declared, must not hide the others.
    await desk.store.write(() => expire(desk, tenant, work_id)).catch(() => undefined);
  }
  // Read again and not remembered, so that a process that died in between leaves nothing undone.
  for (const { tenant, work_id } of await desk.store.read(() => leftEmpty(desk))) {
    await findNothing(desk, await asDesk(desk, tenant), work_id).catch(() => undefined);
  }
  return due.length;
}

const expired = (now_ms: number): Tx<Silent[]> =>
  all<Silent>(sql`
    SELECT tenant, work_id FROM works
    WHERE lease_expires_at IS NOT NULL AND lease_expires_at <= ${now_ms} AND lease_state IN ('reserved', 'working')
      AND pending_receipt IS NULL
    ORDER BY lease_expires_at LIMIT ${LIMITS.recoveryBatch}`);

/** Silent works whose kinds need nobody to find that nothing is there, and where nothing is. */
function* leftEmpty(desk: Desk): Tx<Silent[]> {
  const kinds = [...desk.kinds.values()].filter(findsNothingAlone).map((kind) => kind.name);
  if (kinds.length === 0) return [];
  const silent = yield* all<WorkRow>(sql`
    SELECT * FROM works
    WHERE lease_expires_at IS NOT NULL AND lease_state = 'unknown' AND status = 'IN_PROGRESS' AND pending_receipt IS NULL
      AND kind IN ${listOf(kinds)}
    ORDER BY lease_expires_at DESC LIMIT ${LIMITS.recoveryBatch}`);
  const empty: Silent[] = [];
  for (const row of silent) if (leftNothing(yield* traces(row))) empty.push(row);
  return empty;
}

function* expire(desk: Desk, tenant: string, workId: string): Tx<void> {
  const row = yield* lockWork(desk.store.dialect, tenant, workId);
  const now_ms = desk.now_ms();
  if (!row || row.lease_expires_at === null || row.lease_expires_at > now_ms || row.pending_receipt !== null)
    return;
  if (row.lease_state !== 'reserved' && row.lease_state !== 'working') return;
  const by = { by: DESK_PRINCIPAL, at_ms: now_ms };
  if (row.status !== 'IN_PROGRESS') {
    // A judgement that nobody gave: whoever comes next may reserve it again, there is nothing to investigate.
    yield* record(
      row,
      { type: 'reservation.expired', ...by, data: { holder: row.holder } },
      yield* closeLease(row, 'expired', now_ms),
    );
    return;
  }
  const found = yield* traces(row);
  const columns = yield* changeLease(row, { state: 'unknown' });
  yield* record(
    row,
    { type: 'lease.expired', ...by, data: { holder: row.holder, investigation: countsOf(found) } },
    columns,
  );
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
