import { Refusal } from '../../core/refusals.js';
import { requireRole, type Authenticated } from '../../gates/authorization.js';
import { currentOf } from '../../gates/facts.js';
import { earlierUse, keyedRequest, rememberKey } from '../../gates/idempotency.js';
import { actingName } from '../../gates/submission-guard.js';
import { deliveriesOf } from '../../ledger/case-rows.js';
import { lockWork } from '../../ledger/reads.js';
import { record } from '../../ledger/record.js';
import { run, sql } from '../../ledger/sql.js';
import type { CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { deliveryView } from './case-views.js';
import { caseNamed } from './find-case.js';
import { tellNowRequest } from './requests.js';

/**
 * Makes the next try to tell the origin due at once, for whoever has mended what was in its way and does not want to
 * wait for the pause to end. The decision and its ID are the same; nothing is decided again.
 * @throws Refusal FORBIDDEN, ACTION_NOT_ALLOWED where nothing of this case waits to be told
 */
export async function tellNow(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
) {
  const asked = parseRequest(tellNowRequest, body);
  const request = keyedRequest(options.idempotencyKey, 'tell-now', id, asked);
  return await desk.store.write(function* () {
    const { caller, row: found, kept } = yield* caseNamed(who, id);
    requireRole(caller, ['operator'], 'trying a delivery now');
    const row = (yield* lockWork(desk.store.dialect, found.tenant, found.work_id)) ?? found;
    const delivery = (yield* deliveriesOf(row.tenant, row.work_id)).find(
      ({ delivery_id }) => delivery_id === kept.decision_id,
    );
    const replayed = (yield* earlierUse(caller, request)) !== null;
    if (delivery && replayed) return { delivery: deliveryView(delivery, kept), replayed };
    const waits = delivery?.state === 'pending' || delivery?.state === 'unknown';
    if (!delivery || !waits || row.status !== 'MERGE_READY')
      throw new Refusal('ACTION_NOT_ALLOWED', `no decision of ${row.work_id} waits to be told`, {
        current: currentOf(row),
      });
    const now_ms = desk.now_ms();
    yield* run(sql`
      UPDATE outbox SET next_at = ${now_ms} WHERE delivery_id = ${delivery.delivery_id} AND next_at > ${now_ms}`);
    yield* record(row, {
      type: 'case.redriven',
      by: actingName(caller),
      at_ms: now_ms,
      data: { deliveryId: delivery.delivery_id, reason: asked.reason },
    });
    yield* rememberKey(caller, request, { work_id: row.work_id, receipt_id: null }, now_ms);
    const due = { ...delivery, next_at: Math.min(delivery.next_at, now_ms) };
    return { delivery: deliveryView(due, kept), replayed };
  });
}
