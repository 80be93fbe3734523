import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { invalid } from '../../core/refusals.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import type { CaseRow } from '../../ledger/case-rows.js';
import { rankExpression } from '../../ledger/rank.js';
import type { WorkRow } from '../../ledger/rows.js';
import { all, first, fixed, joined, listOf, sql, type Statement, type Tx } from '../../ledger/sql.js';
import { caseSummary } from '../cases/case-views.js';
import { deadLetters } from '../cases/dead-letters.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { time, workView } from '../views.js';
import { filterConditions, filterFields } from '../work-filters.js';
import { countIn } from './counts.js';
import { BASKET_VIEWS, branchesOf } from './views.js';

export const basketRequest = z.strictObject({
  view: z.enum(BASKET_VIEWS).default('unclaimed'),
  ...filterFields,
  limit: z.coerce.number().int().min(1).max(LIMITS.page_max).default(LIMITS.page_default),
  cursor: z.string().max(1000).optional(),
});

/** Where a reader stands: the order is the one of the moment it began, whatever has been ranked anew since. */
interface Place {
  readonly asOf_ms: number;
  readonly rank: number | null;
  readonly workId: string;
}

type Ranked = Pick<WorkRow, 'work_id'> & { rank_at: number };
const RANK = fixed(rankExpression('w.'));

/**
 * A page of what waits for people, the most pressing first, with the exact total of the view. Whoever goes through
 * all pages sees everything that stays in the view, once, however much arrives, moves or is ranked anew meanwhile.
 */
export async function basket(desk: Desk, who: Authenticated, query: unknown) {
  const request = parseRequest(basketRequest, query ?? {});
  const { view, limit, cursor } = request;
  if (view === 'dead_letters') {
    const letters = await deadLetters(desk, who, { limit, ...(cursor === undefined ? {} : { cursor }) });
    return { view, items: letters.items, nextCursor: letters.nextCursor, total: letters.total };
  }
  const now_ms = desk.now_ms();
  const place: Place =
    cursor === undefined
      ? { asOf_ms: now_ms - LIMITS.basketSettling_ms, rank: null, workId: '' }
      : readCursor(cursor, view);
  return await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'listing');
    const filter = filterConditions(caller, request);
    // What is narrowed by nothing but kinds is counted already.
    const onlyKinds = filter.length === (request.kind ? 2 : 1);
    const found: Ranked[] = [];
    let total = 0;
    for (const branch of branchesOf(view, now_ms)) {
      const conditions = [...filter, branch.condition];
      found.push(...(yield* inPlace(conditions, place, limit + 1)));
      found.push(...(yield* rankedAnew(conditions, place, limit + 1)));
      total +=
        branch.all !== undefined && onlyKinds
          ? yield* countIn(caller.tenant, [branch.all], request.kind)
          : yield* countOf([...filter, branch.counted ?? branch.condition]);
    }
    found.sort((a, b) => a.rank_at - b.rank_at || (a.work_id < b.work_id ? -1 : 1));
    const page = found.slice(0, limit);
    const rows = yield* rowsOf<WorkRow>('works', caller.tenant, page);
    const cases = yield* rowsOf<CaseRow>('cases', caller.tenant, page);
    const last = page.at(-1);
    return {
      view,
      items: page.flatMap(({ work_id, rank_at }) => {
        const row = rows.get(work_id);
        return row ? [item(row, rank_at, cases.get(work_id), now_ms)] : [];
      }),
      nextCursor: found.length > limit && last ? writeCursor(view, place.asOf_ms, last) : null,
      total,
    };
  });
}

function item(row: WorkRow, rank_at: number, kept: CaseRow | undefined, now_ms: number) {
  return {
    ...workView(row),
    rankedAt: time(rank_at),
    age_ms: now_ms - row.created_at,
    overdue: row.due_at !== null && row.due_at <= now_ms,
    case: kept ? caseSummary(kept) : null,
  };
}

const behind = (rank: Statement, { rank: key, workId }: Place): Statement =>
  key === null ? sql`1 = 1` : sql`${rank} >= ${key} AND (${rank} > ${key} OR w.work_id > ${workId})`;

/** Items whose rank is what it was when the reader began. */
function inPlace(conditions: readonly Statement[], place: Place, limit: number): Tx<Ranked[]> {
  return all<Ranked>(sql`
    SELECT w.work_id, ${RANK} AS rank_at FROM works w
    WHERE ${joined(conditions, ' AND ')} AND ${behind(RANK, place)}
      AND NOT EXISTS (SELECT 1 FROM rank_changes r WHERE r.tenant = w.tenant AND r.work_id = w.work_id AND r.at >= ${place.asOf_ms})
    ORDER BY ${RANK}, w.work_id LIMIT ${limit}`);
}

/** The few that were ranked anew since, at the place they had. */
function rankedAnew(conditions: readonly Statement[], place: Place, limit: number): Tx<Ranked[]> {
  const before = fixed('r.rank_before');
  return all<Ranked>(sql`
    SELECT w.work_id, r.rank_before AS rank_at FROM rank_changes r
    JOIN works w ON w.tenant = r.tenant AND w.work_id = r.work_id
    WHERE r.at >= ${place.asOf_ms} AND ${joined(conditions, ' AND ')} AND ${behind(before, place)}
      AND NOT EXISTS (SELECT 1 FROM rank_changes e WHERE e.tenant = r.tenant AND e.work_id = r.work_id
        AND e.at >= ${place.asOf_ms} AND e.input_version < r.input_version)
    ORDER BY r.rank_before, w.work_id LIMIT ${limit}`);
}

function* countOf(conditions: readonly Statement[]): Tx<number> {
  const row = yield* first<{ total: number }>(
    sql`SELECT count(*) AS total FROM works w WHERE ${joined(conditions, ' AND ')}`,
  );
  return row?.total ?? 0;
}

/** The rows of a page: read only once it is known which of all branches' are on it. */
function* rowsOf<R extends { work_id: string }>(
  table: 'works' | 'cases',
  tenant: string,
  page: readonly Ranked[],
): Tx<Map<string, R>> {
  const ids = page.map(({ work_id }) => work_id);
  const rows = yield* all<R>(
    sql`SELECT * FROM ${fixed(table)} WHERE tenant = ${tenant} AND work_id IN ${listOf(ids)}`,
  );
  return new Map(rows.map((row) => [row.work_id, row]));
}

function writeCursor(view: string, asOf_ms: number, last: Ranked): string {
  return Buffer.from(JSON.stringify([view, asOf_ms, last.rank_at, last.work_id])).toString('base64url');
}

function readCursor(cursor: string, view: string): Place {
  try {
    const [of, asOf_ms, rank, workId] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (of === view && typeof asOf_ms === 'number' && typeof rank === 'number' && typeof workId === 'string')
      return { asOf_ms, rank, workId };
  } catch {
    // falls through to the one answer for every cursor that is not ours
  }
  throw invalid('/cursor', 'is not a cursor of this view; start again without it');
}
