import type { Status } from '../../core/work.js';
import { all, first, fixed, joined, listOf, sql, type Statement, type Tx } from '../../ledger/sql.js';

/** One kind's, class's and status' works, counted as they are written (docs/decisions/0070). */
export interface Counted {
  readonly kind: string;
  /** Null for works that are no cases. */
  readonly class: string | null;
  readonly status: Status;
  readonly works: number;
  /** Not counting decided cases: they wait to be told to their origin, and nobody can take them. */
  readonly unowned: number;
  readonly reassignments: number;
  readonly rounds: number;
}

/** Every group that has works, over all works of the tenant. */
export const countsOf = (tenant: string): Tx<Counted[]> =>
  all<Counted>(sql`
    SELECT kind, CASE WHEN class = '' THEN NULL ELSE class END AS class, status, sum(works) AS works,
      sum(CASE WHEN status = 'MERGE_READY' AND class <> '' THEN 0 ELSE unowned END) AS unowned, sum(reassignments) AS reassignments, sum(rounds) AS rounds
    FROM work_counts WHERE tenant = ${tenant}
    GROUP BY kind, class, status HAVING sum(works) > 0 ORDER BY kind, class, status`);

/** How many works stand in some statuses, of some kinds; in and of all where none are named. */
export function* countIn(
  tenant: string,
  statuses: readonly Status[] | undefined,
  kinds: readonly string[] | undefined,
): Tx<number> {
  const inStatus = statuses === undefined ? sql`` : sql`AND status IN ${listOf([...statuses])}`;
  const ofKind = kinds === undefined ? sql`` : sql`AND kind IN ${listOf([...kinds])}`;
  const row = yield* first<{ works: number | null }>(
    sql`SELECT sum(works) AS works FROM work_counts WHERE tenant = ${tenant} ${inStatus} ${ofKind}`,
  );
  return row?.works ?? 0;
}

export interface Group {
  readonly kind: string;
  readonly class: string | null;
}

export const sameGroup = (one: Group, other: Group): boolean =>
  one.kind === other.kind && one.class === other.class;

/** More than there ever are: a bound that keeps the query inside as it is written. */
const ALL = fixed('1000000000');

/**
 * Works of a tenant that fit some conditions, by kind and class: for the few that an index leads to. They are found
 * in the order of that index, because SQLite would rather go through all works in the order of their kinds.
 */
export const countedBy = (
  tenant: string,
  order: 'due_at' | 'lease_expires_at' | 'pending_since',
  conditions: readonly Statement[],
): Tx<(Group & { works: number })[]> =>
  all<Group & { works: number }>(sql`
    SELECT kind, class, count(*) AS works FROM (
      SELECT w.kind AS kind, w.class AS class FROM works w
      WHERE w.tenant = ${tenant} AND ${joined(conditions, ' AND ')} ORDER BY w.${fixed(order)} LIMIT ${ALL}) AS few
    GROUP BY kind, class`);

/** Open works of a tenant whose deadline has passed, by status. */
export const overdueByStatus = (tenant: string, now_ms: number): Tx<{ status: Status; works: number }[]> =>
  all<{ status: Status; works: number }>(sql`
    SELECT status, count(*) AS works FROM (
      SELECT w.status AS status FROM works w
      WHERE w.tenant = ${tenant} AND w.due_at <= ${now_ms} AND w.status NOT IN ('DONE', 'CANCELLED')
      ORDER BY w.due_at LIMIT ${ALL}) AS few
    GROUP BY status`);

/** Works of a tenant whose holder's lease has run out. */
export function* silentCount(tenant: string, now_ms: number): Tx<number> {
  const groups = yield* countedBy(tenant, 'lease_expires_at', [
    sql`w.status = 'IN_PROGRESS'`,
    sql`w.lease_expires_at <= ${now_ms}`,
  ]);
  return groups.reduce((sum, { works }) => sum + works, 0);
}

/** When the oldest open work of a group arrived. */
export function* oldestOpen(tenant: string, group: Group): Tx<number | null> {
  const ofClass = group.class === null ? fixed('class IS NULL') : sql`class = ${group.class}`;
  const row = yield* first<{ oldest: number | null }>(sql`
    SELECT min(created_at) AS oldest FROM works
    WHERE tenant = ${tenant} AND kind = ${group.kind} AND ${ofClass} AND status NOT IN ('DONE', 'CANCELLED')`);
  return row?.oldest ?? null;
}
