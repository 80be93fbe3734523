import { Refusal } from '../core/refusals.js';
import type { Caller } from '../core/work.js';
import { findReceipt } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import { first, sql, type Tx } from '../ledger/sql.js';

/**
 * An adopted result has two makers: who wrote it and who took it over. The checkpoint names the second; this holds off
 * the first (I9).
 * @throws Refusal SELF_APPROVAL
 */
export function* refuseFirstMaker(row: WorkRow, caller: Caller): Tx<void> {
  if (row.artifact_sha256 === null) return;
  const result = yield* first<{ body: string }>(sql`
    SELECT body FROM receipts
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND action = 'result' AND outcome = 'accepted'
      AND artifact_sha256 = ${row.artifact_sha256} ORDER BY at DESC LIMIT 1`);
  const adopts = result
    ? (JSON.parse(result.body) as { submission: { adopts?: string } }).submission.adopts
    : undefined;
  const adopted = adopts === undefined ? undefined : yield* findReceipt(adopts);
  if (adopted && (adopted.actor === caller.actor || adopted.actor === caller.via?.actor)) {
    throw new Refusal('SELF_APPROVAL', `${adopted.actor} made the result that was adopted`);
  }
}
