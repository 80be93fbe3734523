import type { Party } from '../core/work.js';
import type { LeaseRow, WorkRow } from './rows.js';
import type { WorkChanges } from './record.js';
import { assignments, insert, send, sql, type Tx } from './sql.js';

export interface NewLease {
  readonly leaseId: string;
  readonly interruptId: string;
  readonly purpose: LeaseRow['purpose'];
  readonly holder: Party;
  readonly now_ms: number;
  readonly lease_ms: number;
  readonly leaseLimit_ms: number;
}

/** Opens a lease; returns the columns of the work's row that copy it, for the same `record`. */
export function* openLease(row: WorkRow, lease: NewLease): Tx<WorkChanges> {
  const expires_at = lease.now_ms + lease.lease_ms;
  yield* send(
    insert('leases', {
      lease_id: lease.leaseId,
      tenant: row.tenant,
      work_id: row.work_id,
      interrupt_id: lease.interruptId,
      purpose: lease.purpose,
      holder: lease.holder.principal,
      actor: lease.holder.actor,
      state: 'reserved',
      claimed_at: lease.now_ms,
      expires_at,
      limit_at: lease.now_ms + lease.leaseLimit_ms,
      last_answer_at: lease.now_ms,
    }),
  );
  return {
    holder: lease.holder.principal,
    holder_actor: lease.holder.actor,
    lease_id: lease.leaseId,
    lease_state: 'reserved',
    lease_expires_at: expires_at,
  };
}

const NO_LEASE: WorkChanges = {
  holder: null,
  holder_actor: null,
  lease_id: null,
  lease_state: null,
  lease_expires_at: null,
};

/** Closes the work's open lease, if it has one. */
export function* closeLease(row: WorkRow, reason: string, now_ms: number): Tx<WorkChanges> {
  if (row.lease_id === null) return {};
  yield* send(
    sql`UPDATE leases SET closed_at = ${now_ms}, close_reason = ${reason} WHERE lease_id = ${row.lease_id}`,
  );
  return NO_LEASE;
}

export type LeaseChanges = Partial<Omit<LeaseRow, 'lease_id' | 'tenant' | 'work_id'>>;

/** Changes the open lease; returns the columns of the work's row that follow. */
export function* changeLease(row: WorkRow, changes: LeaseChanges): Tx<WorkChanges> {
  if (row.lease_id === null) return {};
  yield* send(sql`UPDATE leases SET ${assignments(changes)} WHERE lease_id = ${row.lease_id}`);
  return {
    ...(changes.state === undefined ? {} : { lease_state: changes.state }),
    ...(changes.expires_at === undefined ? {} : { lease_expires_at: changes.expires_at }),
  };
}
