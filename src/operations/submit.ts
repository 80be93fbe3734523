import type { Authenticated } from '../gates/authorization.js';
import { CASE_KIND } from '../core/case.js';
import { Refusal } from '../core/refusals.js';
import { kindNamed, type Desk } from './desk.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import { changeLease } from '../ledger/leases.js';
import { judged, type Judged } from './judge.js';
import { parseRequest, submitRequest } from './requests.js';

/**
 * Hands in the holder's result for the wait it holds. Durable when it returns; validated and moved on by then too,
 * unless that takes longer than the caller waits. A result that is turned away is kept as reference.
 * @throws Refusal STALE_INTERRUPT, ALREADY_DECIDED, INPUT_CHANGED, ARTIFACT_UNKNOWN, NOT_HOLDER, LEASE_EXPIRED …
 */
export async function submit(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const request = parseRequest(submitRequest, body);
  const answered = await answerWait(desk, who, workId, { action: 'result', ...request }, options, {
    *resolve(_facts, row) {
      yield* [];
      if (row.kind === CASE_KIND)
        throw new Refusal(
          'ACTION_NOT_ALLOWED',
          'a case is decided, so that its origin is told: decide it instead',
        );
      if (kindNamed(desk, row.kind).requiresHeadSha && request.artifact?.headSha === undefined) {
        const message = `is required: a result of kind ${row.kind} is a commit`;
        throw new Refusal('INVALID', `/artifact/headSha ${message}`, {
          errors: [{ path: '/artifact/headSha', message }],
        });
      }
      return {};
    },
    *onAccept(row) {
      const now_ms = desk.now_ms();
      return yield* changeLease(row, {
        state: 'result_received',
        last_answer_at: now_ms,
        last_artifact_at: now_ms,
      });
    },
  });
  return judged(answered);
}
