import { Refusal } from '../core/refusals.js';
import { isSameParty, type Caller, type Party } from '../core/work.js';
import { presentParties } from '../gates/authorization.js';
import { findReceipt } from '../ledger/reads.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { first, sql, type Tx } from '../ledger/sql.js';

/**
 * Holds off from judging whoever had a hand in the artifact beside the author that the checkpoint names (I9): who made
 * a result that somebody else adopted, and who really sent one in another's name.
 * @throws Refusal SELF_APPROVAL
 */
export function* refuseOtherMakers(row: WorkRow, caller: Caller): Tx<void> {
  const maker = handIn(yield* handsOf(row.tenant, yield* resultsBehind(row)), caller);
  if (maker !== undefined)
    throw new Refusal('SELF_APPROVAL', `${maker.actor} had a hand in the result that is judged here`);
}

/** Whether the caller had a hand in the result that the work holds. */
export function* madeBy(row: WorkRow, caller: Caller): Tx<boolean> {
  return handIn(yield* handsOf(row.tenant, yield* resultsBehind(row)), caller) !== undefined;
}

/** The receipts of the result that is judged: the one accepted last, and the late one that it took over. */
function* resultsBehind(row: WorkRow): Tx<ReceiptRow[]> {
  if (row.artifact_sha256 === null) return [];
  const result = yield* first<ReceiptRow>(sql`
    SELECT * FROM receipts
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND action IN ('result', 'investigate') AND outcome = 'accepted'
      AND artifact_sha256 = ${row.artifact_sha256} ORDER BY at DESC, receipt_id DESC LIMIT 1`);
  if (!result) return [];
  const { adopts } = (JSON.parse(result.body) as { submission: { adopts?: string } }).submission;
  const adopted = adopts === undefined ? undefined : yield* findReceipt(adopts);
  return adopted ? [result, adopted] : [result];
}

/** In whose name a receipt was sent, and who sent it, as they were called then. */
export function partiesOf(receipt: Pick<ReceiptRow, 'principal' | 'actor' | 'on_behalf_of'>): Party[] {
  const named = { principal: receipt.principal, actor: receipt.actor };
  return receipt.on_behalf_of === null ? [named] : [named, JSON.parse(receipt.on_behalf_of) as Party];
}

/**
 * Everybody who answers for these receipts, under the actor of then and under that of now: a new name makes nobody
 * another person, and two that turned out to be one are one.
 */
export function* handsOf(tenant: string, receipts: readonly ReceiptRow[]): Tx<Party[]> {
  const then = receipts.flatMap(partiesOf);
  const now = yield* presentParties(
    tenant,
    then.map(({ principal }) => principal),
  );
  return [...then, ...now];
}

/** The first of these hands that is the caller's, or that of whoever acts for it. */
export function handIn(hands: readonly Party[], caller: Caller): Party | undefined {
  const judging = caller.via ? [caller, caller.via] : [caller];
  return hands.find((hand) => judging.some((party) => isSameParty(party, hand)));
}
