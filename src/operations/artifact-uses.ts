import { first, sql, type Tx } from '../ledger/sql.js';
import { time } from './views.js';

/** Who rests on an artifact: a work now, and the first that named it as a result or as a part of one. */
export interface ArtifactUses {
  readonly work: { work_id: string; status: string } | undefined;
  readonly naming:
    { work_id: string; principal: string | null; input_version: number | null; at: number } | undefined;
}

/**
 * What on record names these bytes. A refused receipt does not count: what it brought may never have been stored.
 * A finished work comes before any other.
 */
export function* artifactUses(tenant: string, sha256: string): Tx<ArtifactUses> {
  return {
    work: yield* first(sql`
      SELECT work_id, status FROM works WHERE tenant = ${tenant} AND artifact_sha256 = ${sha256}
      ORDER BY CASE status WHEN 'DONE' THEN 0 ELSE 1 END, work_id LIMIT 1`),
    naming: (yield* inReceipts(tenant, sha256)) ?? (yield* asPart(tenant, sha256)),
  };
}

const inReceipts = (tenant: string, sha256: string): Tx<ArtifactUses['naming']> =>
  first(sql`
    SELECT work_id, principal, input_version, at FROM receipts
    WHERE tenant = ${tenant} AND artifact_sha256 = ${sha256} AND outcome <> 'refused'
    ORDER BY CASE action WHEN 'result' THEN 0 ELSE 1 END, at, receipt_id LIMIT 1`);

function* asPart(tenant: string, sha256: string): Tx<ArtifactUses['naming']> {
  const saved = yield* first<NonNullable<ArtifactUses['naming']>>(sql`
    SELECT work_id, principal, input_version, at FROM partials WHERE tenant = ${tenant} AND artifact_sha256 = ${sha256}
    ORDER BY at, work_id LIMIT 1`);
  return (
    saved ??
    (yield* first<NonNullable<ArtifactUses['naming']>>(sql`
      SELECT work_id, from_holder AS principal, input_version, at FROM handoffs
      WHERE tenant = ${tenant} AND partials LIKE ${`%"${sha256}"%`} ORDER BY at, handoff_id LIMIT 1`))
  );
}

/** The same as a difference tells it. */
export function tellUses({ work, naming }: ArtifactUses) {
  return {
    workId: work?.work_id ?? naming?.work_id ?? null,
    madeBy: naming?.principal ?? null,
    inputVersion: naming?.input_version ?? null,
    at: naming ? time(naming.at) : null,
  };
}
