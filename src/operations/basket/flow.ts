import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import { all, fixed, sql, type Statement, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { time } from '../views.js';

const DAY_ms = 24 * 60 * 60_000;
/** Written out: a bound number would make a SQLite division one with a fraction. */
const DAY = fixed(String(DAY_ms));

/** What happened on one day (UTC). */
export interface DayFlow {
  /** `2025-04-02`. */
  readonly date: string;
  readonly arrived: number;
  readonly ended: number;
  readonly turnedAway: number;
  readonly reworked: number;
  /** From arrival to end, of those that ended that day, on average; null where none did. */
  readonly dwell_ms: number | null;
}

interface Day {
  day: number;
  n: number;
  spent?: number | null;
}

/**
 * The last days, oldest first, today included, each counted over all works of the tenant.
 * @param days how many, 1 or more
 */
export async function flowByDay(desk: Desk, who: Authenticated, days: number): Promise<DayFlow[]> {
  const today = Math.floor(desk.now_ms() / DAY_ms);
  const from = today - days + 1;
  return await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'worker', 'reviewer', 'operator'], 'reading the numbers');
    const count = (table: string, column: string, more: Statement, spent = '0'): Tx<Day[]> =>
      all<Day>(sql`
        SELECT ${fixed(column)} / ${DAY} AS day, count(*) AS n, CAST(avg(${fixed(spent)}) AS BIGINT) AS spent
        FROM ${fixed(table)} WHERE tenant = ${caller.tenant} AND ${fixed(column)} >= ${from * DAY_ms} AND ${more}
        GROUP BY ${fixed(column)} / ${DAY}`);
    const arrived = yield* count('works', 'created_at', sql`1 = 1`);
    const ended = yield* count(
      'works',
      'wait_since',
      sql`status IN ('DONE', 'CANCELLED')`,
      'wait_since - created_at',
    );
    const away = yield* count('receipts', 'at', sql`outcome <> 'accepted'`);
    // A quotation mark inside what somebody wrote is escaped in JSON, so this can only be the verdict itself.
    const rework = yield* count(
      'receipts',
      'at',
      sql`action = 'review' AND outcome = 'accepted' AND body LIKE ${'%"verdict":"REWORK"%'}`,
    );
    return Array.from({ length: days }, (_, index) => {
      const day = from + index;
      const of = (rows: readonly Day[]): Day | undefined => rows.find((row) => row.day === day);
      return {
        date: time(day * DAY_ms).slice(0, 10),
        arrived: of(arrived)?.n ?? 0,
        ended: of(ended)?.n ?? 0,
        turnedAway: of(away)?.n ?? 0,
        reworked: of(rework)?.n ?? 0,
        dwell_ms: of(ended)?.spent ?? null,
      };
    });
  });
}
