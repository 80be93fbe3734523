import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../core/limits.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { all, first, listOf, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { allTenants } from './tenants.js';

export interface Pruned {
  /** Of how many ended works. */
  readonly works: number;
  readonly checkpoints: number;
}

/** What the database takes of the disk, in bytes. */
export interface StoreSize {
  readonly bytes: number;
  /** Of these, what it fills again before it grows; null where the database does not tell. */
  readonly free_bytes: number | null;
}

interface Ended {
  work_id: string;
  wait_since: number;
  created_at: number;
  more: number;
}

/**
 * Retention: of threads that ended longer ago than `age_ms`, only the last checkpoint stays. History, receipts, input
 * versions and artifacts stay whole, and so does every thread that still waits for something. May be run at any time.
 * @throws Refusal FORBIDDEN for anybody but an owner
 */
export async function prune(desk: Desk, who: Authenticated, age_ms: number): Promise<Pruned> {
  const caller = await desk.store.read(() => authenticatedCaller(who));
  requireRole(caller, [], 'pruning');
  return await pruneTenant(desk, caller.tenant, age_ms);
}

/** The same for every tenant, for whoever holds the data folder or the database: no door leads here. */
export async function pruneDesk(desk: Desk, age_ms: number): Promise<Pruned> {
  let [works, checkpoints] = [0, 0];
  for (const tenant of await desk.store.read(allTenants)) {
    const pruned = await pruneTenant(desk, tenant, age_ms);
    works += pruned.works;
    checkpoints += pruned.checkpoints;
  }
  return { works, checkpoints };
}

/**
 * Walks what has ended from the oldest on, in small pieces, and rests after each for as long as it took: whoever
 * works at the desk meanwhile waits for one piece at most. Ends early where it is told to stop; what is left, the
 * next one finds.
 */
export async function pruneTenant(
  desk: Desk,
  tenant: string,
  age_ms: number,
  stop?: AbortSignal,
): Promise<Pruned> {
  const before_ms = desk.now_ms() - age_ms;
  const wanted = (): boolean => !stop?.aborted;
  let [works, checkpoints] = [0, 0];
  let last: Ended | undefined;
  while (wanted()) {
    const after = last;
    const page = await desk.store.read(() => endedAfter(tenant, before_ms, after));
    const long = page.filter((each) => each.more === 1).map((each) => each.work_id);
    for (let from = 0; from < long.length && wanted(); from += LIMITS.pruneBatch) {
      const began_ms = performance.now();
      const batch = long.slice(from, from + LIMITS.pruneBatch);
      const pruned = await desk.store.write(() => pruneBatch(desk, tenant, batch));
      works += pruned.works;
      checkpoints += pruned.checkpoints;
      await sleep(performance.now() - began_ms);
    }
    last = page.at(-1);
    if (page.length < LIMITS.pruneLook) break;
  }
  return { works, checkpoints };
}

/** How large the database is: freed space is used again, but seldom given back to the disk. */
export async function storeSize(desk: Desk): Promise<StoreSize> {
  const size = await desk.store.read(() => first<StoreSize>(desk.store.dialect.size));
  if (!size) throw new Error('every database tells its size');
  return size;
}

/** What ended before a time, in the order of its end, and whether its thread has more than its head. */
const endedAfter = (tenant: string, before_ms: number, last: Ended | undefined): Tx<Ended[]> =>
  all<Ended>(sql`
    SELECT w.work_id, w.wait_since, w.created_at, CASE WHEN EXISTS (
      SELECT 1 FROM checkpoints c WHERE c.thread_id = w.thread_id AND c.checkpoint_id <> w.checkpoint_id) THEN 1 ELSE 0 END AS more
    FROM works w
    WHERE w.tenant = ${tenant} AND w.status IN ('DONE', 'CANCELLED') AND w.wait_since <= ${before_ms}
      ${last ? sql`AND (w.wait_since, w.created_at, w.work_id) > (${last.wait_since}, ${last.created_at}, ${last.work_id})` : sql``}
    ORDER BY w.wait_since, w.created_at, w.work_id LIMIT ${LIMITS.pruneLook}`);

function* pruneBatch(desk: Desk, tenant: string, workIds: readonly string[]): Tx<Pruned> {
  const ended = yield* all<{ thread_id: string; checkpoint_id: string }>(sql`
    SELECT thread_id, checkpoint_id FROM works
    WHERE tenant = ${tenant} AND work_id IN ${listOf(workIds)} AND status IN ('DONE', 'CANCELLED')
      AND pending_receipt IS NULL AND checkpoint_id IS NOT NULL ${desk.store.dialect.skipLocked}`);
  let checkpoints = 0;
  for (const { thread_id, checkpoint_id } of ended)
    checkpoints += yield* desk.checkpoints.prune(thread_id, checkpoint_id);
  return { works: ended.length, checkpoints };
}
