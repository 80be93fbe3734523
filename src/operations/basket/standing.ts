import { CASE_KIND } from '../../core/case.js';
import type { Status } from '../../core/work.js';
import { all, first, sql, type Tx } from '../../ledger/sql.js';
import { timeOrNull } from '../views.js';
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

interface Counted {
  kind: string;
  class: string | null;
  status: Status;
  works: number;
  oldest: number | null;
  unowned: number;
  overdue: number;
  silent: number;
  pending: number;
  reassignments: number;
  rounds: number;
}

interface Dwelt {
  kind: string;
  class: string | null;
  ended: number;
  p50: number | null;
  p95: number | null;
}

const ENDED: readonly Status[] = ['DONE', 'CANCELLED'];

/** How every kind and class of a tenant stands, over all of its works. */
export function* standing(tenant: string, range: Range, now_ms: number): Tx<Standing[]> {
  const counted = yield* all<Counted>(sql`
    SELECT w.kind AS kind, c.classification AS class, w.status AS status, count(*) AS works, min(w.created_at) AS oldest,
      sum(CASE WHEN w.holder IS NULL THEN 1 ELSE 0 END) AS unowned,
      sum(CASE WHEN w.due_at <= ${now_ms} THEN 1 ELSE 0 END) AS overdue,
      sum(CASE WHEN w.lease_expires_at <= ${now_ms} THEN 1 ELSE 0 END) AS silent,
      sum(CASE WHEN w.pending_receipt IS NOT NULL THEN 1 ELSE 0 END) AS pending,
      sum(w.reassignments) AS reassignments, sum(w.round - 1) AS rounds
    FROM works w LEFT JOIN cases c ON w.kind = ${CASE_KIND} AND c.tenant = w.tenant AND c.work_id = w.work_id
    WHERE w.tenant = ${tenant} GROUP BY w.kind, c.classification, w.status
    ORDER BY w.kind, c.classification, w.status`);
  const dwelt = yield* all<Dwelt>(sql`
    WITH dwell AS (
      SELECT w.kind AS kind, c.classification AS class, w.wait_since - w.created_at AS spent,
        row_number() OVER (PARTITION BY w.kind, c.classification ORDER BY w.wait_since - w.created_at) AS place,
        count(*) OVER (PARTITION BY w.kind, c.classification) AS ended
      FROM works w LEFT JOIN cases c ON w.kind = ${CASE_KIND} AND c.tenant = w.tenant AND c.work_id = w.work_id
      WHERE w.tenant = ${tenant} AND w.status IN ('DONE', 'CANCELLED') AND w.wait_since >= ${range.from_ms} AND w.wait_since < ${range.to_ms})
    SELECT kind, class, ended, min(CASE WHEN place * 100 >= ended * 50 THEN spent END) AS p50,
      min(CASE WHEN place * 100 >= ended * 95 THEN spent END) AS p95
    FROM dwell GROUP BY kind, class, ended`);
  const key = (row: { kind: string; class: string | null }): string => JSON.stringify([row.kind, row.class]);
  const groups = new Map<string, Counted[]>();
  for (const row of counted) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  const dwells = new Map(dwelt.map((row) => [key(row), row]));
  return [...groups].map(([name, rows]) => standingOf(rows, dwells.get(name)));
}

function standingOf(rows: readonly Counted[], dwell: Dwelt | undefined): Standing {
  const open = rows.filter((row) => !ENDED.includes(row.status));
  const sum = (of: readonly Counted[], number: (row: Counted) => number): number =>
    of.reduce((total, row) => total + number(row), 0);
  const inStatus = (status: Status) => rows.filter((row) => row.status === status);
  const oldest = open.flatMap((row) => row.oldest ?? []);
  const isCase = rows[0]?.class !== null;
  return {
    kind: rows[0]?.kind ?? '',
    class: rows[0]?.class ?? null,
    counts: Object.fromEntries(rows.map((row) => [row.status, row.works])),
    open: sum(open, (row) => row.works),
    oldestOpenAt: timeOrNull(oldest.length === 0 ? null : Math.min(...oldest)),
    unowned: sum(open, (row) => row.unowned),
    overdue: sum(open, (row) => row.overdue),
    outcomeUnknown:
      sum(inStatus('OUTCOME_UNKNOWN'), (row) => row.works) +
      sum(inStatus('IN_PROGRESS'), (row) => row.silent),
    notApplied: sum(rows, (row) => row.pending),
    notReflected: isCase ? sum(inStatus('MERGE_READY'), (row) => row.works) : 0,
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
    sql`SELECT sum(apply_attempts) AS failures FROM works WHERE tenant = ${tenant} AND pending_receipt IS NOT NULL`,
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
