import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { visibleWork } from '../gates/submission-guard.js';
import { effectsOf, findLease, lateResultsOf, partialsOf } from '../ledger/reads.js';
import type { ArtifactRow, LeaseRow, WorkRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { effectView, leaseView, receiptView, time } from './views.js';

/** Everything a silent holder left: what an investigator looks at before anything is decided. */
export function* traces(row: WorkRow) {
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  const late = yield* lateResultsOf(row.tenant, row.work_id, row.input_version);
  return {
    lease: lease ? leaseView(lease) : null,
    partials: lease
      ? (yield* partialsOf(row.tenant, row.work_id, lease.lease_id)).map((partial) => ({
          artifactSha256: partial.artifact_sha256,
          items: JSON.parse(partial.items) as string[],
          at: time(partial.at),
        }))
      : [],
    /** Stored since the claim and never handed in. */
    unsubmitted: lease
      ? (yield* storedSince(row, lease)).map((artifact) => ({
          sha256: artifact.sha256,
          size: artifact.size_bytes,
          mediaType: artifact.media_type,
          at: time(artifact.at),
        }))
      : [],
    /** Results that came too late, for the current input version. */
    lateResults: late.map(receiptView),
    effects: (yield* effectsOf(row.tenant, row.work_id)).map(effectView),
  };
}

const storedSince = (row: WorkRow, lease: LeaseRow): Tx<ArtifactRow[]> =>
  all<ArtifactRow>(sql`
    SELECT a.* FROM artifacts a
    WHERE a.tenant = ${row.tenant} AND a.stored_by = ${lease.holder} AND a.at >= ${lease.claimed_at}
      AND NOT EXISTS (SELECT 1 FROM receipts r WHERE r.tenant = a.tenant AND r.artifact_sha256 = a.sha256 AND r.outcome <> 'refused')
      AND NOT EXISTS (SELECT 1 FROM partials p WHERE p.tenant = a.tenant AND p.artifact_sha256 = a.sha256)
    ORDER BY a.at`);

export type Traces = ReturnType<typeof traces> extends Tx<infer T> ? T : never;

/** Whether a silent holder left nothing at all. */
export function leftNothing(found: Traces): boolean {
  return (
    found.partials.length + found.unsubmitted.length + found.lateResults.length + found.effects.length === 0
  );
}

/** What is there to be looked at. @throws Refusal NOT_FOUND, FORBIDDEN */
export function investigation(desk: Desk, who: Authenticated, workId: string) {
  return desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'worker', 'reviewer', 'operator'], 'investigating');
    const row = yield* visibleWork(
      { ...desk.store.dialect, forUpdate: { parts: [''], values: [] } },
      caller,
      workId,
    );
    return { workId, status: row.status, interruptId: row.interrupt_id, ...(yield* traces(row)) };
  });
}
