import { invalid } from '../core/refusals.js';
import type { Authenticated } from '../gates/authorization.js';
import { effectsOf } from '../ledger/reads.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { isOpen, refuseContradiction } from './doubted-effects.js';
import { writeOutcome } from './effects.js';
import { judged, type Judged } from './judge.js';
import { parseRequest, reconcileRequest } from './requests.js';

/**
 * Out of OUTCOME_UNKNOWN with evidence: it happened (onward, with its external ID), it did not (back to be done), or
 * still nobody knows, which is kept and moves nothing. Open effects of the work are settled by the same finding.
 * @throws Refusal ALREADY_DECIDED for a finding against what was reported of a doubted effect meanwhile
 */
export async function reconcile(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const request = parseRequest(reconcileRequest, body);
  const moves = request.finding !== 'still_unknown';
  const answered = await answerWait(desk, who, workId, { action: 'reconcile', ...request }, options, {
    moves: () => moves,
    *resolve(_facts, row) {
      if (request.finding === 'happened' && !request.externalId)
        throw invalid('/externalId', 'is required: how the other side names what happened');
      if (moves) yield* refuseContradiction(row, request);
      return {};
    },
    *onAccept(row, caller) {
      if (!moves) return {};
      const outcome = request.finding === 'happened' ? ('confirmed' as const) : ('failed' as const);
      for (const effect of yield* effectsOf(row.tenant, row.work_id)) {
        if (isOpen(effect))
          yield* writeOutcome(effect, { ...request, outcome }, caller.principal, desk.now_ms());
      }
      return {};
    },
  });
  return judged(answered);
}
