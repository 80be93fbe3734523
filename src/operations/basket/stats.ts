import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import type { Caller } from '../../core/work.js';
import type { Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { time } from '../views.js';
import { holderStats } from './holders.js';
import { rangeOf, rangeRequest, rangeView } from './ranges.js';
import { standing, troubleOf } from './standing.js';

/** Whether somebody may read the numbers at all. @throws Refusal FORBIDDEN, UNAUTHENTICATED */
export function checkMayLook(desk: Desk, who: Authenticated): Promise<void> {
  return desk.store.read(function* () {
    yield* looking(who);
  });
}

function* looking(who: Authenticated): Tx<Caller> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['viewer', 'worker', 'reviewer', 'operator'], 'reading the numbers');
  return caller;
}

/**
 * The numbers. What stands is counted over all works there are; what happened, over the range that the answer names
 * (the last 30 days where none is asked for). With `by=holder`, per worker.
 */
export async function stats(desk: Desk, who: Authenticated, query?: unknown) {
  const request = parseRequest(rangeRequest, query ?? {});
  const now_ms = desk.now_ms();
  const range = rangeOf(request, now_ms);
  return await desk.store.read(function* () {
    const caller = yield* looking(who);
    const head = { at: time(now_ms), range: rangeView(range) };
    if (request.by === 'holder')
      return { ...head, holders: yield* holderStats(caller.tenant, range, now_ms) };
    const kinds = yield* standing(caller.tenant, range, now_ms);
    return { ...head, kinds, ...(yield* troubleOf(caller.tenant)) };
  });
}
