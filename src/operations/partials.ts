import { isExpired } from '../core/guard.js';
import { Refusal, invalid } from '../core/refusals.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { requireOpenWait } from '../gates/current-wait.js';
import { currentOf, leaseFacts } from '../gates/facts.js';
import { actingName, visibleWork } from '../gates/submission-guard.js';
import { changeLease } from '../ledger/leases.js';
import { findArtifact, findLease } from '../ledger/reads.js';
import { record } from '../ledger/record.js';
import type { LeaseRow, WorkRow } from '../ledger/rows.js';
import { insert, run, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { parseRequest, partialRequest } from './requests.js';

/**
 * Keeps an intermediate result for a handoff; counts as progress. It is never a result by itself.
 * @throws Refusal NOT_HOLDER, STALE_INTERRUPT, LEASE_EXPIRED, ARTIFACT_UNKNOWN
 */
export async function savePartial(desk: Desk, who: Authenticated, workId: string, body: unknown) {
  const request = parseRequest(partialRequest, body);
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['worker'], 'saving partial results');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    const lease = yield* heldLease(row, caller.principal, request.interruptId, desk.now_ms());
    if (!(yield* findArtifact(row.tenant, request.artifactSha256))) {
      throw new Refusal('ARTIFACT_UNKNOWN', `no stored artifact has sha256 ${request.artifactSha256}`, {
        current: currentOf(row),
      });
    }
    const now_ms = desk.now_ms();
    yield* run(
      insert(
        'partials',
        {
          tenant: row.tenant,
          work_id: row.work_id,
          lease_id: lease.lease_id,
          artifact_sha256: request.artifactSha256,
          input_version: row.input_version,
          items: JSON.stringify(request.items),
          principal: caller.principal,
          at: now_ms,
        },
        'ON CONFLICT (tenant, work_id, lease_id, artifact_sha256) DO UPDATE SET items = excluded.items, at = excluded.at',
      ),
    );
    const state = lease.state === 'reserved' ? ('working' as const) : lease.state;
    const columns = yield* changeLease(row, {
      state,
      last_answer_at: now_ms,
      last_progress_at: now_ms,
      last_artifact_at: now_ms,
    });
    yield* record(
      row,
      {
        type: 'partial.saved',
        by: actingName(caller),
        at_ms: now_ms,
        data: { artifactSha256: request.artifactSha256, items: request.items },
      },
      columns,
    );
    return {
      workId,
      artifactSha256: request.artifactSha256,
      items: request.items,
      inputVersion: row.input_version,
    };
  });
}

/** The running lease of a holder on the current wait. @throws Refusal that says what is missing */
export function* heldLease(
  row: WorkRow,
  principal: string,
  interruptId: string,
  now_ms: number,
): Tx<LeaseRow> {
  const current = currentOf(row);
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  if (!lease || lease.holder !== principal)
    throw new Refusal(
      'NOT_HOLDER',
      lease ? `${lease.holder} holds ${row.work_id}` : `nobody holds ${row.work_id}`,
      { current },
    );
  requireOpenWait(row, interruptId);
  if (isExpired(leaseFacts(lease), now_ms))
    throw new Refusal('LEASE_EXPIRED', 'the reservation has run out', { current });
  if (row.status !== 'IN_PROGRESS')
    throw invalid('/interruptId', `is a wait in ${row.status}, where nobody works`);
  return lease;
}
