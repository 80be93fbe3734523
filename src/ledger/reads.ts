import type {
  ArtifactRow,
  EffectRow,
  HandoffRow,
  HistoryRow,
  InputVersionRow,
  LeaseRow,
  ReceiptRow,
  WorkRow,
} from './rows.js';
import { all, first, listOf, sql, type Tx } from './sql.js';
import type { Dialect } from './store.js';

export const findWork = (tenant: string, workId: string): Tx<WorkRow | undefined> =>
  first<WorkRow>(sql`SELECT * FROM works WHERE tenant = ${tenant} AND work_id = ${workId}`);

/** The same row, kept from other transactions until this one ends. */
export const lockWork = (dialect: Dialect, tenant: string, workId: string): Tx<WorkRow | undefined> =>
  first<WorkRow>(
    sql`SELECT * FROM works WHERE tenant = ${tenant} AND work_id = ${workId} ${dialect.forUpdate}`,
  );

export const findWorkByThread = (threadId: string): Tx<WorkRow | undefined> =>
  first<WorkRow>(sql`SELECT * FROM works WHERE thread_id = ${threadId}`);

/** The newest work with this identity: a live one if there is any, else the last that ended. */
export const findByIdentity = (
  tenant: string,
  kind: string,
  identitySha256: string,
): Tx<WorkRow | undefined> =>
  first<WorkRow>(sql`
    SELECT * FROM works WHERE tenant = ${tenant} AND kind = ${kind} AND identity_sha256 = ${identitySha256}
    ORDER BY created_at DESC, work_id DESC LIMIT 1`);

export const findLease = (leaseId: string): Tx<LeaseRow | undefined> =>
  first<LeaseRow>(sql`SELECT * FROM leases WHERE lease_id = ${leaseId}`);

export const findReceipt = (receiptId: string): Tx<ReceiptRow | undefined> =>
  first<ReceiptRow>(sql`SELECT * FROM receipts WHERE receipt_id = ${receiptId}`);

/** The answer that a wait was given, if it was. */
export const findAcceptedAnswer = (
  tenant: string,
  workId: string,
  interruptId: string,
): Tx<ReceiptRow | undefined> =>
  first<ReceiptRow>(sql`
    SELECT * FROM receipts
    WHERE tenant = ${tenant} AND work_id = ${workId} AND interrupt_id = ${interruptId} AND outcome = 'accepted' AND moves = 1`);

export const receiptsOf = (tenant: string, workId: string): Tx<ReceiptRow[]> =>
  all<ReceiptRow>(
    sql`SELECT * FROM receipts WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY at, receipt_id`,
  );

/** Results for an input version that came too late and are kept for reference, oldest first. */
export const lateResultsOf = (tenant: string, workId: string, inputVersion: number): Tx<ReceiptRow[]> =>
  all<ReceiptRow>(sql`
    SELECT * FROM receipts
    WHERE tenant = ${tenant} AND work_id = ${workId} AND input_version = ${inputVersion} AND outcome = 'reference'
    ORDER BY at, receipt_id`);

export const historyOf = (tenant: string, workId: string): Tx<HistoryRow[]> =>
  all<HistoryRow>(sql`SELECT * FROM history WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY seq`);

export const versionsOf = (tenant: string, workId: string): Tx<InputVersionRow[]> =>
  all<InputVersionRow>(
    sql`SELECT * FROM input_versions WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY version`,
  );

export const findVersion = (
  tenant: string,
  workId: string,
  version: number,
): Tx<InputVersionRow | undefined> =>
  first<InputVersionRow>(
    sql`SELECT * FROM input_versions WHERE tenant = ${tenant} AND work_id = ${workId} AND version = ${version}`,
  );

export const versionsAfter = (tenant: string, workId: string, version: number): Tx<InputVersionRow[]> =>
  all<InputVersionRow>(sql`
    SELECT * FROM input_versions WHERE tenant = ${tenant} AND work_id = ${workId} AND version > ${version} ORDER BY version`);

export const handoffsOf = (tenant: string, workId: string): Tx<HandoffRow[]> =>
  all<HandoffRow>(
    sql`SELECT * FROM handoffs WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY at, handoff_id`,
  );

export const lastHandoffOf = (tenant: string, workId: string): Tx<HandoffRow | undefined> =>
  first<HandoffRow>(sql`
    SELECT * FROM handoffs WHERE tenant = ${tenant} AND work_id = ${workId}
    ORDER BY at DESC, handoff_id DESC LIMIT 1`);

export const effectsOf = (tenant: string, workId: string): Tx<EffectRow[]> =>
  all<EffectRow>(
    sql`SELECT * FROM effects WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY intended_at, operation_id`,
  );

export const leasesOf = (tenant: string, workId: string): Tx<LeaseRow[]> =>
  all<LeaseRow>(
    sql`SELECT * FROM leases WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY claimed_at, lease_id`,
  );

export const findArtifact = (tenant: string, sha256: string): Tx<ArtifactRow | undefined> =>
  first<ArtifactRow>(sql`SELECT * FROM artifacts WHERE tenant = ${tenant} AND sha256 = ${sha256}`);

/** Of these hashes, those that no artifact of the tenant has. */
export function* unstored(tenant: string, hashes: readonly string[]): Tx<string[]> {
  const rows = yield* all<{ sha256: string }>(
    sql`SELECT sha256 FROM artifacts WHERE tenant = ${tenant} AND sha256 IN ${listOf(hashes)}`,
  );
  const stored = new Set(rows.map((row) => row.sha256));
  return hashes.filter((sha256) => !stored.has(sha256));
}

/** Works that must be done before this one: named by it, and not DONE or CANCELLED. One that does not exist is open (fail closed). */
export function* openBlockers(tenant: string, workId: string): Tx<string[]> {
  const rows = yield* all<{ blocked_by: string }>(sql`
    SELECT b.blocked_by FROM work_blocks b
    LEFT JOIN works w ON w.tenant = b.tenant AND w.work_id = b.blocked_by
    WHERE b.tenant = ${tenant} AND b.work_id = ${workId} AND (w.status IS NULL OR w.status NOT IN ('DONE', 'CANCELLED'))
    ORDER BY b.blocked_by`);
  return rows.map((row) => row.blocked_by);
}

export function* blockersOf(tenant: string, workId: string): Tx<string[]> {
  const rows = yield* all<{ blocked_by: string }>(
    sql`SELECT blocked_by FROM work_blocks WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY blocked_by`,
  );
  return rows.map((row) => row.blocked_by);
}

/** Operations of a work with an intent and no known outcome. */
export function* openEffects(tenant: string, workId: string): Tx<string[]> {
  const rows = yield* all<{ operation_id: string }>(sql`
    SELECT operation_id FROM effects
    WHERE tenant = ${tenant} AND work_id = ${workId} AND outcome IN ('intended', 'unknown') ORDER BY intended_at, operation_id`);
  return rows.map((row) => row.operation_id);
}

export const findEffect = (tenant: string, operationId: string): Tx<EffectRow | undefined> =>
  first<EffectRow>(sql`SELECT * FROM effects WHERE tenant = ${tenant} AND operation_id = ${operationId}`);

export interface PartialRow {
  artifact_sha256: string;
  items: string;
  principal: string;
  input_version: number;
  at: number;
}

/** Intermediate results of a work, oldest first; of one lease where it is named. */
export const partialsOf = (tenant: string, workId: string, leaseId?: string): Tx<PartialRow[]> =>
  all<PartialRow>(sql`
    SELECT artifact_sha256, items, principal, input_version, at FROM partials
    WHERE tenant = ${tenant} AND work_id = ${workId} ${leaseId === undefined ? sql`` : sql`AND lease_id = ${leaseId}`} ORDER BY at`);
