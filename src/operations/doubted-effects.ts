import { Refusal } from '../core/refusals.js';
import { currentOf } from '../gates/facts.js';
import { effectsOf } from '../ledger/reads.js';
import type { EffectRow, WorkRow } from '../ledger/rows.js';
import { all, first, sql, type Tx } from '../ledger/sql.js';

/** Whether somebody said what became of it; that is final. */
export const isKnown = ({ outcome }: Pick<EffectRow, 'outcome'>): boolean =>
  outcome === 'confirmed' || outcome === 'failed';

/** Whose outcome nobody knows yet. */
export const isOpen = (effect: Pick<EffectRow, 'outcome'>): boolean => !isKnown(effect);

interface Finding {
  readonly finding?: 'happened' | 'did_not_happen' | 'still_unknown' | undefined;
  readonly externalId?: string | undefined;
}

/**
 * What people find out about a work must not go against what was reported of its doubted effects meanwhile: that is
 * final, and a work that is run again although its effect was done does it twice (I11).
 * @throws Refusal ALREADY_DECIDED
 */
export function* refuseContradiction(row: WorkRow, { finding, externalId }: Finding): Tx<void> {
  const told = yield* toldSinceTheDoubt(row);
  const done = told.filter(({ outcome }) => outcome === 'confirmed');
  if (finding === 'did_not_happen') {
    if (done.length > 0) throw contradicted(row, done);
    return;
  }
  // What is still open may be what happened; where nothing is, it has to be one of those that are known.
  const open = (yield* effectsOf(row.tenant, row.work_id)).some(isOpen);
  if (open || told.length === 0 || done.some(({ external_id }) => external_id === externalId)) return;
  throw contradicted(row, done.length > 0 ? done : told);
}

function contradicted(row: WorkRow, known: readonly EffectRow[]): Refusal {
  const words = known.map(
    ({ operation_id, outcome, external_id }) =>
      `operation ${operation_id} is on record as ${outcome}${external_id === null ? '' : ` under ${external_id}`}`,
  );
  return new Refusal('ALREADY_DECIDED', `${words.join(', ')}; reconcile it so`, {
    current: currentOf(row),
    next: 'Read the effects of the work, and reconcile it as they say.',
  });
}

/** Effects that were open when the work came into doubt and whose outcome was reported since. */
function* toldSinceTheDoubt(row: WorkRow): Tx<EffectRow[]> {
  // The last answer of the thread is the one that brought the doubt, and history has an order that no clock gives.
  const doubt = yield* first<{ seq: number }>(sql`
    SELECT seq FROM history
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND type = 'submission.accepted'
      AND data LIKE ${`%"receiptId":"${row.last_receipt ?? ''}"%`}`);
  if (!doubt) return [];
  const reports = yield* all<{ data: string }>(sql`
    SELECT data FROM history
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND type = 'effect.settled' AND seq > ${doubt.seq}`);
  const told = new Set(reports.map(({ data }) => (JSON.parse(data) as { operationId: string }).operationId));
  return (yield* effectsOf(row.tenant, row.work_id)).filter(
    (effect) => told.has(effect.operation_id) && isKnown(effect),
  );
}
