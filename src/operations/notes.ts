import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { actingName, visibleWork } from '../gates/submission-guard.js';
import { record } from '../ledger/record.js';
import type { Desk } from './desk.js';
import { noteRequest, parseRequest } from './requests.js';
import { time } from './views.js';

/** Leaves advice on a work: an event that moves nothing. Anybody who may see the work may write one. @throws Refusal NOT_FOUND */
export async function note(desk: Desk, who: Authenticated, workId: string, body: unknown) {
  const request = parseRequest(noteRequest, body);
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'leaving a note');
    const row = yield* visibleWork(desk.store.dialect, caller, workId);
    const at_ms = desk.now_ms();
    const after = yield* record(row, { type: 'note.added', by: actingName(caller), at_ms, data: request });
    return { workId, seq: after.history_seq, by: actingName(caller), at: time(at_ms), ...request };
  });
}
