import { Refusal } from '../core/refusals.js';
import { RESERVABLE_STATUSES } from '../core/transitions.js';
import { livingParty, type Authenticated } from '../gates/authorization.js';
import { closeLease } from '../ledger/leases.js';
import { unstored } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { judged, type Judged } from './judge.js';
import { obstacles, writeHandoff, type Parting } from './let-go.js';
import { handoffRequest, parseRequest } from './requests.js';

/**
 * The holder gives its work back: it is queued again with what was done, unless an effect of unknown outcome or too
 * many losses stand in the way. The interrupt ID it held is retired at once. In VP_REVIEW and OWNER_GATE it gives
 * back the judgement it had reserved; the work stays where it is, under the same wait, for whoever judges it.
 * @throws Refusal NOT_HOLDER, LEASE_EXPIRED, STALE_INTERRUPT, ARTIFACT_UNKNOWN for a part that was never stored …
 */
export function release(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  return part(desk, who, workId, 'release', body, options);
}

/**
 * Changes the holder: an operator, or the holder itself, to a named worker or back to the queue. A late result of the
 * former holder is kept as reference and offered to the next.
 * @throws Refusal NOT_FOUND for a receiver that cannot work, NOT_HOLDER, STALE_INTERRUPT …
 */
export function handoff(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  return part(desk, who, workId, 'handoff', body, options);
}

async function part(
  desk: Desk,
  who: Authenticated,
  workId: string,
  action: 'release' | 'handoff',
  body: unknown,
  options: CallOptions,
): Promise<Judged> {
  const request = parseRequest(handoffRequest, body);
  const { to, cause, ...rest } = request;
  if (action === 'release' && to !== undefined) {
    throw new Refusal('INVALID', 'a release goes back to the queue; hand off to somebody with /handoff', {
      errors: [{ path: '/to', message: 'does not exist for a release' }],
    });
  }
  let effectsOpen = false;
  const answered = await answerWait(desk, who, workId, { action, ...request }, options, {
    moves: (row) => !isReservation(row),
    *resolve(_facts, row) {
      if (isReservation(row)) return {};
      const [unknown] = yield* unstored(row.tenant, request.partials ?? []);
      if (unknown !== undefined)
        throw new Refusal('ARTIFACT_UNKNOWN', `no stored artifact has sha256 ${unknown}`);
      const letGo = yield* obstacles(desk, row);
      effectsOpen = letGo.effectsOpen;
      return { letGo, to: to === undefined ? null : yield* livingParty(row.tenant, to, 'worker') };
    },
    *onAccept(row, caller, receiptId) {
      // A judgement that nobody has given leaves nothing to hand on.
      if (isReservation(row)) return yield* closeLease(row, 'released', desk.now_ms());
      const parting: Parting = {
        ...rest,
        reason: request.reason ?? '',
        // With an effect of unknown outcome the work goes to nobody.
        to: effectsOpen ? null : (to ?? null),
        cause: cause ?? (action === 'release' || caller.principal === row.holder ? 'release' : 'operator'),
      };
      return yield* writeHandoff(desk, row, receiptId, parting);
    },
  });
  return judged(answered);
}

/** Held for its judgement only: letting go of it moves nothing. */
function isReservation(row: WorkRow): boolean {
  return RESERVABLE_STATUSES.includes(row.status);
}
