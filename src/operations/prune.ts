import { LIMITS } from '../core/limits.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';

export interface Pruned {
  readonly works: number;
  readonly checkpoints: number;
}

/**
 * Retention: of threads that ended longer ago than `age_ms`, only the last checkpoint stays. History, receipts, input
 * versions and artifacts stay whole, and so does every thread that still waits for something. May be run at any time.
 * @throws Refusal FORBIDDEN for anybody but an owner
 */
export async function prune(desk: Desk, who: Authenticated, age_ms: number): Promise<Pruned> {
  let works = 0;
  let checkpoints = 0;
  for (;;) {
    const batch = await desk.store.write(() => pruneBatch(desk, who, desk.now_ms() - age_ms));
    works += batch.works;
    checkpoints += batch.checkpoints;
    if (batch.works < LIMITS.pruneBatch) return { works, checkpoints };
  }
}

function* pruneBatch(desk: Desk, who: Authenticated, before_ms: number): Tx<Pruned> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, [], 'pruning');
  const ended = yield* all<{ thread_id: string; checkpoint_id: string }>(sql`
    SELECT w.thread_id, w.checkpoint_id FROM works w
    WHERE w.tenant = ${caller.tenant} AND w.status IN ('DONE', 'CANCELLED') AND w.pending_receipt IS NULL
      AND w.updated_at <= ${before_ms} AND w.checkpoint_id IS NOT NULL
      AND EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = w.thread_id AND c.checkpoint_id <> w.checkpoint_id)
    ORDER BY w.updated_at LIMIT ${LIMITS.pruneBatch} ${desk.store.dialect.skipLocked}`);
  let checkpoints = 0;
  for (const { thread_id, checkpoint_id } of ended) {
    checkpoints += yield* desk.checkpoints.prune(thread_id, checkpoint_id);
  }
  return { works: ended.length, checkpoints };
}
