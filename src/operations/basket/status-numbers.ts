import { STATUSES, isTerminal, type Caller, type Status } from '../../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import { all, first, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { timeOrNull } from '../views.js';
import { countsOf, overdueByStatus, silentCount } from './counts.js';

/** How one status stands. What has ended has no age, owner or lateness. */
export interface StatusNumbers {
  readonly status: Status;
  readonly count: number;
  /** When the oldest work of it came in, RFC 3339; null where there is none. */
  readonly oldest: string | null;
  readonly unowned: number;
  readonly overdue: number;
  /** Whose holder's lease ran out: they stand still until somebody has looked. */
  readonly silent: number;
}

interface Counted {
  status: Status;
  count: number;
  oldest: number | null;
  unowned: number;
  overdue: number;
  silent: number;
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
    return caller.roles.every((role) => role === 'scout')
      ? yield* ownOf(caller, now_ms)
      : yield* allOf(caller.tenant, now_ms);
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
          silent: open?.silent ?? 0,
        },
      ];
    }),
  );
}

/** Few as a scout's own are, they are counted one by one. */
const ownOf = ({ tenant, principal }: Caller, now_ms: number): Tx<Counted[]> =>
  all<Counted>(sql`
    SELECT status, count(*) AS count, min(created_at) AS oldest,
      sum(CASE WHEN holder IS NULL AND NOT (status = 'MERGE_READY' AND class IS NOT NULL) THEN 1 ELSE 0 END) AS unowned,
      sum(CASE WHEN due_at <= ${now_ms} THEN 1 ELSE 0 END) AS overdue,
      sum(CASE WHEN status = 'IN_PROGRESS' AND lease_expires_at <= ${now_ms} THEN 1 ELSE 0 END) AS silent
    FROM works WHERE tenant = ${tenant} AND created_by = ${principal}
    GROUP BY status`);

function* allOf(tenant: string, now_ms: number): Tx<Counted[]> {
  const overdue = yield* overdueByStatus(tenant, now_ms);
  const silent = yield* silentCount(tenant, now_ms);
  const found = new Map<Status, Counted>();
  for (const group of yield* countsOf(tenant)) {
    const known = found.get(group.status);
    found.set(group.status, {
      status: group.status,
      count: (known?.count ?? 0) + group.works,
      unowned: (known?.unowned ?? 0) + group.unowned,
      oldest: known ? known.oldest : yield* oldestIn(tenant, group.status),
      overdue: overdue.find((each) => each.status === group.status)?.works ?? 0,
      silent: group.status === 'IN_PROGRESS' ? silent : 0,
    });
  }
  return [...found.values()];
}

function* oldestIn(tenant: string, status: Status): Tx<number | null> {
  if (isTerminal(status)) return null;
  const row = yield* first<{ oldest: number | null }>(
    sql`SELECT min(created_at) AS oldest FROM works WHERE tenant = ${tenant} AND status = ${status}`,
  );
  return row?.oldest ?? null;
}
