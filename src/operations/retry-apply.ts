import { Refusal } from '../core/refusals.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { currentOf } from '../gates/facts.js';
import { actingName, visibleWork } from '../gates/submission-guard.js';
import { findReceipt, findWork } from '../ledger/reads.js';
import { record } from '../ledger/record.js';
import { applyWithin, type CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { judged, type Judged } from './judge.js';
import { parseRequest, retryApplyRequest } from './requests.js';

/**
 * Brings an accepted answer to its thread once more, after recovery has given up on it. The answer is the same one:
 * nobody is asked again, and nothing is decided again.
 * @throws Refusal FORBIDDEN, ACTION_NOT_ALLOWED when nothing waits to be applied
 */
export async function retryApply(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const { reason } = parseRequest(retryApplyRequest, body);
  const { tenant, receiptId } = await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['operator'], 'retrying an apply');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    if (row.pending_receipt === null)
      throw new Refusal('ACTION_NOT_ALLOWED', `no accepted answer of ${workId} waits to be applied`, {
        current: currentOf(row),
      });
    yield* record(
      row,
      {
        type: 'apply.retried',
        by: actingName(caller),
        at_ms: desk.now_ms(),
        data: { waiting: row.pending_receipt, attempts: row.apply_attempts, reason },
      },
      { apply_attempts: 0, apply_error: null },
    );
    return { tenant: row.tenant, receiptId: row.pending_receipt };
  });
  await applyWithin(desk, tenant, workId, options.wait_ms);
  return await desk.store.read(function* () {
    const work = yield* findWork(tenant, workId);
    const receipt = yield* findReceipt(receiptId);
    if (!work || !receipt) throw new Error('what was there a moment ago is never deleted');
    return judged({ work, receipt, replayed: false });
  });
}
