import { STATUSES, isTerminal, type Status } from '../../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import { all, sql } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { timeOrNull } from '../views.js';

/** How one status stands. What has ended has no age, owner or lateness. */
export interface StatusNumbers {
  readonly status: Status;
  readonly count: number;
  /** When the oldest work of it came in, RFC 3339; null where there is none. */
  readonly oldest: string | null;
  readonly unowned: number;
  readonly overdue: number;
}

interface Counted {
  status: Status;
  count: number;
  oldest: number | null;
  unowned: number;
  overdue: number;
}

/** The numbers of every status in one look at the works, exact over all that the caller sees: what a board asks for often. */
export async function statusNumbers(
  desk: Desk,
  who: Authenticated,
): Promise<ReadonlyMap<Status, StatusNumbers>> {
  const now_ms = desk.now_ms();
  const rows = await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'listing');
    const ownOnly = caller.roles.every((role) => role === 'scout');
    return yield* all<Counted>(sql`
      SELECT status, count(*) AS count, min(created_at) AS oldest,
        sum(CASE WHEN holder IS NULL THEN 1 ELSE 0 END) AS unowned,
        sum(CASE WHEN due_at <= ${now_ms} THEN 1 ELSE 0 END) AS overdue
      FROM works WHERE tenant = ${caller.tenant} ${ownOnly ? sql`AND created_by = ${caller.principal}` : sql``}
      GROUP BY status`);
  });
  return new Map(
    STATUSES.map((status) => {
      const row = rows.find((each) => each.status === status);
      const open = row && !isTerminal(status) ? row : undefined;
      return [
        status,
        {
          status,
          count: row?.count ?? 0,
          oldest: timeOrNull(open?.oldest ?? null),
          unowned: open?.unowned ?? 0,
          overdue: open?.overdue ?? 0,
        },
      ];
    }),
  );
}
