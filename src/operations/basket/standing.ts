import type { Status } from '../../core/work.js';
import { first, sql, type Tx } from '../../ledger/sql.js';
import { timeOrNull } from '../views.js';
import { countedBy, countsOf, oldestOpen, sameGroup, type Counted, type Group } from './counts.js';
import { dwellOf, type Dwelt } from './dwell.js';
import type { Range } from './ranges.js';

/** A class is a case's classification; works that are no cases have none. */
export interface Standing {
  readonly kind: string;
  readonly class: string | null;
  /** Every work of the tenant by status, ended ones too. */
  readonly counts: Partial<Record<Status, number>>;
  readonly open: number;
  readonly oldestOpenAt: string | null;
  readonly unowned: number;
  readonly overdue: number;
  readonly outcomeUnknown: number;
  readonly notApplied: number;
  readonly notReflected: number;
  readonly reassignments: number;
  readonly reworkRounds: number;
  /** From arrival to end, in ms, of those that ended within the range. */
  readonly ended: number;
  readonly dwellP50_ms: number | null;
  readonly dwellP95_ms: number | null;
}

const ENDED: readonly Status[] = ['DONE', 'CANCELLED'];

interface Now {
  readonly overdue: readonly (Group & { works: number })[];
  readonly silent: readonly (Group & { works: number })[];
  readonly pending: readonly (Group & { works: number })[];
}

/**
 * How every kind and class of a tenant stands, over all of its works: from the counts that are kept as works are
 * written; what depends on the time of day is counted along its index.
 */
export function* standing(tenant: string, range: Range, now_ms: number): Tx<Standing[]> {
  const counted = yield* countsOf(tenant);
  const now: Now = {
    overdue: yield* countedBy(tenant, 'due_at', [
      sql`w.due_at <= ${now_ms}`,
      sql`w.status NOT IN ('DONE', 'CANCELLED')`,
    ]),
    silent: yield* countedBy(tenant, 'lease_expires_at', [
      sql`w.status = 'IN_PROGRESS'`,
      sql`w.lease_expires_at <= ${now_ms}`,
    ]),
    pending: yield* countedBy(tenant, 'pending_since', [
      sql`w.pending_receipt IS NOT NULL`,
      sql`w.pending_since > 0`,
    ]),
  };
  const dwelt = yield* dwellOf(tenant, range);
  const groups = new Map<string, Counted[]>();
  for (const row of counted) {
    const name = JSON.stringify([row.kind, row.class]);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const found: Standing[] = [];
  for (const rows of groups.values()) {
    const group: Group = rows[0] as Counted;
    const isOpen = rows.some((row) => !ENDED.includes(row.status));
    const oldest = isOpen ? yield* oldestOpen(tenant, group) : null;
    const dwell = dwelt.find((row) => sameGroup(row, group));
    found.push(standingOf(group, rows, { now, oldest, dwell }));
  }
  return found;
}

function standingOf(
  group: Group,
  rows: readonly Counted[],
  { now, oldest, dwell }: { now: Now; oldest: number | null; dwell: Dwelt | undefined },
): Standing {
  const open = rows.filter((row) => !ENDED.includes(row.status));
  const sum = (of: readonly Counted[], number: (row: Counted) => number): number =>
    of.reduce((total, row) => total + number(row), 0);
  const inStatus = (status: Status): number =>
    sum(
      rows.filter((row) => row.status === status),
      (row) => row.works,
    );
  const of = (counts: Now[keyof Now]): number => counts.find((row) => sameGroup(row, group))?.works ?? 0;
  return {
    kind: group.kind,
    class: group.class,
    counts: Object.fromEntries(rows.map((row) => [row.status, row.works])),
    open: sum(open, (row) => row.works),
    oldestOpenAt: timeOrNull(oldest),
    unowned: sum(open, (row) => row.unowned),
    overdue: of(now.overdue),
    outcomeUnknown: inStatus('OUTCOME_UNKNOWN') + of(now.silent),
    notApplied: of(now.pending),
    notReflected: group.class === null ? 0 : inStatus('MERGE_READY'),
    reassignments: sum(rows, (row) => row.reassignments),
    reworkRounds: sum(rows, (row) => row.rounds),
    ended: dwell?.ended ?? 0,
    dwellP50_ms: dwell?.p50 ?? null,
    dwellP95_ms: dwell?.p95 ?? null,
  };
}

export interface Trouble {
  readonly resumeFailures: number;
  readonly deliveryFailures: number;
  readonly deliveriesUnknown: number;
  readonly deliveriesPending: number;
  readonly deadLetters: number;
  readonly oldestDeadLetterAt: string | null;
}

/** What went wrong and is not yet right again: over everything that is open now. */
export function* troubleOf(tenant: string): Tx<Trouble> {
  const applies = yield* first<{ failures: number | null }>(
    sql`SELECT sum(apply_attempts) AS failures FROM works WHERE tenant = ${tenant} AND pending_receipt IS NOT NULL AND pending_since > 0`,
  );
  const told = yield* first<Record<'failures' | 'unknown' | 'pending', number | null>>(sql`
    SELECT sum(failures) AS failures, sum(CASE WHEN state = 'unknown' THEN 1 ELSE 0 END) AS unknown,
      sum(CASE WHEN state = 'pending' THEN 1 ELSE 0 END) AS pending
    FROM outbox WHERE tenant = ${tenant} AND state <> 'delivered'`);
  const letters = yield* first<{ open: number; oldest: number | null }>(
    sql`SELECT count(*) AS open, min(created_at) AS oldest FROM dead_letters WHERE tenant = ${tenant} AND state = 'open'`,
  );
  return {
    resumeFailures: applies?.failures ?? 0,
    deliveryFailures: told?.failures ?? 0,
    deliveriesUnknown: told?.unknown ?? 0,
    deliveriesPending: told?.pending ?? 0,
    deadLetters: letters?.open ?? 0,
    oldestDeadLetterAt: timeOrNull(letters?.oldest ?? null),
  };
}
