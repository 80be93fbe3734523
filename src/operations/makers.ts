import { Refusal } from '../core/refusals.js';
import type { Caller, Party } from '../core/work.js';
import { findReceipt } from '../ledger/reads.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { first, sql, type Tx } from '../ledger/sql.js';

/**
 * Holds off from judging whoever had a hand in the artifact beside the author that the checkpoint names (I9): who made
 * a result that somebody else adopted, and who really sent one in another's name.
 * @throws Refusal SELF_APPROVAL
 */
export function* refuseOtherMakers(row: WorkRow, caller: Caller): Tx<void> {
  const judges = [caller.actor, caller.via?.actor];
  const maker = (yield* otherMakersOf(row)).find((actor) => judges.includes(actor));
  if (maker !== undefined)
    throw new Refusal('SELF_APPROVAL', `${maker} had a hand in the result that is judged here`);
}

function* otherMakersOf(row: WorkRow): Tx<string[]> {
  if (row.artifact_sha256 === null) return [];
  const result = yield* first<ReceiptRow>(sql`
    SELECT * FROM receipts
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND action IN ('result', 'investigate') AND outcome = 'accepted'
      AND artifact_sha256 = ${row.artifact_sha256} ORDER BY at DESC, receipt_id DESC LIMIT 1`);
  if (!result) return [];
  const { adopts } = (JSON.parse(result.body) as { submission: { adopts?: string } }).submission;
  const adopted = adopts === undefined ? undefined : yield* findReceipt(adopts);
  return [result, adopted].flatMap((receipt) => (receipt ? handsOf(receipt) : []));
}

/** Everybody who answers for a receipt: in whose name it was sent, and who sent it. */
export function handsOf(receipt: Pick<ReceiptRow, 'actor' | 'on_behalf_of'>): string[] {
  if (receipt.on_behalf_of === null) return [receipt.actor];
  return [receipt.actor, (JSON.parse(receipt.on_behalf_of) as Party).actor];
}
