import { z } from 'zod';
import { LIMITS } from '../core/limits.js';
import { Refusal, invalid } from '../core/refusals.js';
import type { Caller } from '../core/work.js';
import { authenticatedCaller, maySee, requireRole, type Authenticated } from '../gates/authorization.js';
import {
  blockersOf,
  effectsOf,
  findLease,
  findVersion,
  findWork,
  handoffsOf,
  historyOf,
  partialsOf,
  receiptsOf,
  versionsOf,
} from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import { all, first, joined, sql, type Statement, type Tx } from '../ledger/sql.js';
import { approvalsView, type Approvals } from './approval.js';
import { countIn } from './basket/counts.js';
import type { Desk } from './desk.js';
import { parseRequest } from './requests.js';
import {
  effectView,
  eventView,
  handoffView,
  leaseView,
  partialView,
  receiptView,
  time,
  workView,
  type WorkView,
} from './views.js';
import { filterConditions, filterFields } from './work-filters.js';

/** Everybody with any role may look; what a scout sees is its own. */
const SEEING = ['viewer', 'scout', 'worker', 'reviewer', 'operator'] as const;

/** Runs a read as a caller, on a work it may see. @throws Refusal NOT_FOUND, also for what exists elsewhere */
function readWork<T>(
  desk: Desk,
  who: Authenticated,
  workId: string,
  read: (row: WorkRow, caller: Caller) => Tx<T>,
): Promise<T> {
  return desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, SEEING, 'reading');
    const row = yield* findWork(caller.tenant, workId);
    if (!row || !maySee(caller, row)) throw new Refusal('NOT_FOUND', `no work ${workId}`);
    return yield* read(row, caller);
  });
}

/** One work as it is now, with its lease, effects, blockers and current input; at a gate with the approvals so far. */
export function show(desk: Desk, who: Authenticated, workId: string) {
  return readWork(desk, who, workId, function* (row) {
    const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
    const version = yield* findVersion(row.tenant, row.work_id, row.input_version);
    return {
      ...workView(row),
      lease: lease ? leaseView(lease) : null,
      input: JSON.parse(version?.input ?? 'null') as unknown,
      effects: (yield* effectsOf(row.tenant, row.work_id)).map(effectView),
      blockedBy: yield* blockersOf(row.tenant, row.work_id),
      partials: (yield* partialsOf(row.tenant, row.work_id)).map(partialView),
      approvals: yield* approvalsView(desk, row),
    };
  });
}

/** Its events, oldest first. */
export function history(desk: Desk, who: Authenticated, workId: string) {
  return readWork(desk, who, workId, function* (row) {
    return (yield* historyOf(row.tenant, row.work_id)).map(eventView);
  });
}

/** What was accepted, refused and kept as reference, oldest first. */
export function receipts(desk: Desk, who: Authenticated, workId: string) {
  return readWork(desk, who, workId, function* (row) {
    return (yield* receiptsOf(row.tenant, row.work_id)).map(receiptView);
  });
}

/** Its changes of holder, oldest first. */
export function handoffs(desk: Desk, who: Authenticated, workId: string) {
  return readWork(desk, who, workId, function* (row) {
    return (yield* handoffsOf(row.tenant, row.work_id)).map(handoffView);
  });
}

/** Its input versions with what each changed. */
export function versions(desk: Desk, who: Authenticated, workId: string) {
  return readWork(desk, who, workId, function* (row) {
    return (yield* versionsOf(row.tenant, row.work_id)).map((version) => ({
      version: version.version,
      inputSha256: version.input_sha256,
      input: JSON.parse(version.input) as unknown,
      changes: JSON.parse(version.changes) as unknown[],
      reason: version.reason,
      registeredBy: version.registered_by,
      at: time(version.at),
    }));
  });
}

const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0', ''])])
  .transform((value) => value === true || value === 'true' || value === '1' || value === '');

export const listRequest = z.strictObject({
  ...filterFields,
  overdue: flag.optional(),
  unowned: flag.optional(),
  sort: z.enum(['created', '-created', 'updated', '-updated', 'priority', 'due']).default('created'),
  limit: z.coerce.number().int().min(1).max(LIMITS.page_max).default(LIMITS.page_default),
  cursor: z.string().max(1000).optional(),
});

/** The column each order goes by; `none` stands where a row has no value, so that it sorts last and is never lost. */
const SORTS = {
  created: { column: 'w.created_at', descending: false },
  '-created': { column: 'w.created_at', descending: true },
  updated: { column: 'w.updated_at', descending: false },
  '-updated': { column: 'w.updated_at', descending: true },
  priority: { column: 'w.priority', descending: false },
  due: { column: 'coalesce(w.due_at, 9007199254740991)', descending: false },
} as const;

/** A page of works with the exact total over the whole filter. Keyset pages: nothing is skipped while works are added. */
export function list(desk: Desk, who: Authenticated, query: unknown) {
  const request = parseRequest(listRequest, query ?? {});
  const sort = SORTS[request.sort];
  const after = request.cursor === undefined ? null : readCursor(request.cursor, request.sort);
  return desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, SEEING, 'listing');
    const filter = conditions(caller, request, desk.now_ms());
    const column: Statement = { parts: [sort.column], values: [] };
    const page =
      after === null
        ? filter
        : [
            ...filter,
            sort.descending
              ? sql`(${column} < ${after.key} OR (${column} = ${after.key} AND w.work_id < ${after.workId}))`
              : sql`(${column} > ${after.key} OR (${column} = ${after.key} AND w.work_id > ${after.workId}))`,
          ];
    const direction: Statement = { parts: [sort.descending ? 'DESC' : 'ASC'], values: [] };
    const rows = yield* all<WorkRow & { sort_key: number }>(sql`
      SELECT w.*, ${column} AS sort_key FROM works w WHERE ${joined(page, ' AND ')}
      ORDER BY ${column} ${direction}, w.work_id ${direction} LIMIT ${request.limit + 1}`);
    // What is narrowed by nothing but status and kind is counted already.
    const named = 1 + Number(request.status !== undefined) + Number(request.kind !== undefined);
    const total =
      filter.length === named
        ? yield* countIn(caller.tenant, request.status, request.kind)
        : yield* countOf(filter);
    const last = rows[request.limit - 1];
    const items: (WorkView & { approvals: Approvals | null })[] = [];
    // Only a gate that asks for several has something to count.
    for (const row of rows.slice(0, request.limit)) {
      const several = row.status === 'OWNER_GATE' && (desk.kinds.get(row.kind)?.approvals ?? 1) > 1;
      items.push({ ...workView(row), approvals: several ? yield* approvalsView(desk, row) : null });
    }
    return {
      items,
      nextCursor:
        rows.length > request.limit && last ? writeCursor(request.sort, last.sort_key, last.work_id) : null,
      total,
    };
  });
}

function* countOf(filter: readonly Statement[]): Tx<number> {
  const count = yield* first<{ total: number }>(
    sql`SELECT count(*) AS total FROM works w WHERE ${joined(filter, ' AND ')}`,
  );
  return count?.total ?? 0;
}

function conditions(caller: Caller, request: z.infer<typeof listRequest>, now_ms: number): Statement[] {
  const filter = filterConditions(caller, request);
  if (request.overdue) filter.push(sql`w.due_at < ${now_ms} AND w.status NOT IN ('DONE', 'CANCELLED')`);
  if (request.unowned) {
    filter.push(sql`w.holder IS NULL AND w.status NOT IN ('DONE', 'CANCELLED')`);
    // A decided case is not to be taken by anybody: it waits to be told to its origin.
    filter.push(sql`NOT (w.status = 'MERGE_READY' AND w.class IS NOT NULL)`);
  }
  return filter;
}

function writeCursor(sort: string, key: number, workId: string): string {
  return Buffer.from(JSON.stringify([sort, key, workId])).toString('base64url');
}

function readCursor(cursor: string, sort: string): { key: number; workId: string } {
  try {
    const [of, key, workId] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (of === sort && typeof key === 'number' && typeof workId === 'string') return { key, workId };
  } catch {
    // falls through to the one answer for every cursor that is not ours
  }
  throw invalid('/cursor', 'is not a cursor of this list in this order; start again without it');
}
