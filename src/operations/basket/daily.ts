import { z } from 'zod';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import { first, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { time } from '../views.js';
import { holderStats } from './holders.js';
import { dayOf, rangeView, type Range } from './ranges.js';
import { standing, troubleOf } from './standing.js';

export const dailyRequest = z.strictObject({ date: z.iso.date().optional() });

export interface Flow {
  readonly arrived: number;
  readonly casesArrived: number;
  readonly observations: number;
  readonly decided: number;
  readonly reflected: number;
  readonly ended: number;
  readonly handedOn: number;
  readonly escalated: number;
  readonly turnedAway: number;
  readonly newDeadLetters: number;
}

/**
 * The close of a day (UTC; today where none is named). What happened is counted over that day; what stands open, at
 * the moment of asking, which the answer names: an open item is never counted as solved because its day is over.
 */
export async function dailyReport(desk: Desk, who: Authenticated, query?: unknown) {
  const { date } = parseRequest(dailyRequest, query ?? {});
  const now_ms = desk.now_ms();
  const day = dayOf(date, now_ms);
  return await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'worker', 'reviewer', 'operator'], 'reading the report');
    return {
      date: day.date,
      at: time(now_ms),
      range: rangeView(day),
      happened: yield* flowOf(caller.tenant, day),
      standing: yield* standing(caller.tenant, day, now_ms),
      trouble: yield* troubleOf(caller.tenant),
      holders: yield* holderStats(caller.tenant, day, now_ms),
    };
  });
}
export type DailyReport = Awaited<ReturnType<typeof dailyReport>>;

function* flowOf(tenant: string, { from_ms, to_ms }: Range): Tx<Flow> {
  const within = (column: string) => ({
    parts: [`${column} >= `, ` AND ${column} < `, ''],
    values: [from_ms, to_ms],
  });
  const count = (table: string, column: string, more = '') =>
    sql`(SELECT count(*) FROM ${{ parts: [table], values: [] }} WHERE tenant = ${tenant} AND ${within(column)} ${{ parts: [more], values: [] }})`;
  const row = yield* first<Flow>(sql`
    SELECT ${count('works', 'created_at')} AS "arrived",
      ${count('case_observations', 'at', "AND how = 'created'")} AS "casesArrived",
      ${count('case_observations', 'at', "AND how <> 'created'")} AS "observations",
      ${count('cases', 'decided_at')} AS "decided",
      ${count('cases', 'reflected_at')} AS "reflected",
      ${count('works', 'wait_since', "AND status IN ('DONE', 'CANCELLED')")} AS "ended",
      ${count('handoffs', 'at')} AS "handedOn",
      ${count('cases', 'escalated_at')} AS "escalated",
      ${count('receipts', 'at', "AND outcome <> 'accepted'")} AS "turnedAway",
      ${count('dead_letters', 'created_at')} AS "newDeadLetters"`);
  if (!row) throw new Error('a count has a row');
  return row;
}
