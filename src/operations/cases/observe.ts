import { LIMITS } from '../../core/limits.js';
import type { Caller } from '../../core/work.js';
import { actingName } from '../../gates/submission-guard.js';
import type { CaseRow } from '../../ledger/case-rows.js';
import { record } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { insert, run, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import type { Evidence } from './prepare-case.js';

export interface Observation {
  readonly sha256: string;
  readonly occurredAt_ms: number;
  readonly how: 'redelivered' | 'updated' | 'outdated' | 'recurred';
}

/** Notes one more arrival of a known exception. The first thousand are kept one by one, the rest are counted. */
export function* observe(
  desk: Desk,
  caller: Caller,
  row: WorkRow,
  kept: CaseRow,
  { sha256, occurredAt_ms, how }: Observation,
): Tx<void> {
  const now_ms = desk.now_ms();
  const number = kept.observations + 1;
  yield* run(sql`
    UPDATE cases SET observations = ${number}, last_observed_at = ${now_ms},
      occurred_at = ${Math.max(kept.occurred_at, occurredAt_ms)}
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id}`);
  if (number > LIMITS.caseObservations) return;
  yield* run(
    insert('case_observations', {
      tenant: row.tenant,
      work_id: row.work_id,
      number,
      content_sha256: sha256,
      occurred_at: occurredAt_ms,
      how,
      recorded_by: caller.principal,
      at: now_ms,
    }),
  );
  // An update has its own event; this one says what arrived and changed nothing.
  if (how === 'updated') return;
  yield* record(row, {
    type: 'case.observed',
    by: actingName(caller),
    at_ms: now_ms,
    data: { number, how, contentSha256: sha256 },
  });
}

/** Keeps evidence beside the case; what is there already stays as it is. */
export function* insertEvidence(
  row: { readonly tenant: string; readonly work_id: string },
  evidence: readonly Evidence[],
  givenBy: string,
  now_ms: number,
): Tx<void> {
  for (const item of evidence) {
    yield* run(
      insert(
        'case_evidence',
        {
          tenant: row.tenant,
          work_id: row.work_id,
          sha256: item.sha256,
          label: item.label,
          ref: item.ref,
          body: item.body,
          access: JSON.stringify(item.access),
          given_by: givenBy,
          at: now_ms,
          retain_until: item.retainUntil_ms,
        },
        'ON CONFLICT (tenant, work_id, sha256) DO NOTHING',
      ),
    );
  }
}
