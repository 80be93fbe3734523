import { Refusal } from '../core/refusals.js';
import type { Authenticated } from '../gates/authorization.js';
import { currentOf } from '../gates/facts.js';
import { closeLease } from '../ledger/leases.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import { kindNamed, type Desk } from './desk.js';
import { judged, type Judged } from './judge.js';
import { approvalsGiven, approvalsView, sorted, type Approvals } from './approval.js';
import { handIn, handsOf, refuseOtherMakers } from './makers.js';
import { decideRequest, parseRequest } from './requests.js';

/**
 * OWNER_GATE: the owner's decision on the one action the gate asks about, for this wait and this artifact, once. Where
 * the kind asks for several approvers, each is a principal and an actor of its own, and only the last one opens the gate.
 * @throws Refusal OWNER_ONLY, SELF_APPROVAL, ARTIFACT_MISMATCH, STALE_INTERRUPT …
 */
export async function decideGate(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged & { approvals: Approvals | null }> {
  const { action: gateAction, ...request } = parseRequest(decideRequest, body);
  let opens = true;
  const answered = await answerWait(
    desk,
    who,
    workId,
    { action: 'decide', gateAction, ...request },
    options,
    {
      *resolve(_facts, row, caller) {
        opens = true;
        yield* refuseOtherMakers(row, caller);
        if (request.decision !== 'approve') return {};
        const earlier = yield* approvalsGiven(row);
        // Whoever approves in another's name is no second person: no hand may be in two approvals.
        const again = handIn(yield* handsOf(row.tenant, earlier), caller);
        if (again !== undefined) {
          throw new Refusal(
            'ALREADY_DECIDED',
            `${again.actor} has approved this already; another actor is needed`,
            {
              current: currentOf(row),
              next: 'You have done your part: the gate opens when enough others approve.',
            },
          );
        }
        const { standing } = yield* sorted(row.tenant, earlier);
        opens = standing.length + 1 >= kindNamed(desk, row.kind).approvals;
        return {};
      },
      *onAccept(row) {
        // Whoever has approved is done with it; the next approver need not wait for the reservation to run out.
        return opens ? {} : yield* closeLease(row, 'judged', desk.now_ms());
      },
      moves: () => opens,
    },
  );
  return { ...judged(answered), approvals: await desk.store.read(() => approvalsView(desk, answered.work)) };
}
