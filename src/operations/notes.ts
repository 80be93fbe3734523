import type { z } from 'zod';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { earlierUse, keyedRequest, rememberKey } from '../gates/idempotency.js';
import { actingName, visibleWork } from '../gates/submission-guard.js';
import { historyOf } from '../ledger/reads.js';
import { record } from '../ledger/record.js';
import type { CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { noteRequest, parseRequest } from './requests.js';
import { time } from './views.js';

/** Leaves advice on a work: an event that moves nothing. Anybody who may see the work may write one. @throws Refusal NOT_FOUND */
export async function note(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
) {
  const request = parseRequest(noteRequest, body);
  const keyed = keyedRequest(options.idempotencyKey, 'note', workId, request);
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'leaving a note');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    const earlier = yield* earlierUse(caller, keyed);
    if (earlier) {
      const [event] = (yield* historyOf(row.tenant, row.work_id)).filter(
        ({ type, at }) => type === 'note.added' && at === earlier.at,
      );
      return told(workId, event?.seq ?? row.history_seq, actingName(caller), earlier.at, request);
    }
    const at_ms = desk.now_ms();
    yield* rememberKey(caller, keyed, { work_id: workId, receipt_id: null }, at_ms);
    const after = yield* record(row, { type: 'note.added', by: actingName(caller), at_ms, data: request });
    return told(workId, after.history_seq, actingName(caller), at_ms, request);
  });
}

const told = (
  workId: string,
  seq: number,
  by: string,
  at_ms: number,
  request: z.infer<typeof noteRequest>,
) => ({
  workId,
  seq,
  by,
  at: time(at_ms),
  ...request,
});
