import { hostname } from 'node:os';
import { LIMITS } from '../core/limits.js';
import { all, run, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { isImporting } from './import-works.js';

/** `host:pid:boot`; lets another process on the same host see at once that this one is gone. */
export function instanceName(boot: string): string {
  return `${hostname()}:${process.pid}:${boot}`;
}

interface Pending {
  tenant: string;
  work_id: string;
  applier: string | null;
  applier_until: number | null;
}

/**
 * Finishes what was accepted and not applied, here or by a process that died: at start and on a timer. Only the
 * apply is repeated; nobody is asked again. Idempotent: whoever comes second finds nothing to do.
 * @returns how many receipts it brought to their threads
 */
export async function recoverPending(desk: Desk): Promise<number> {
  let recovered = 0;
  for (;;) {
    const batch = await desk.store.write(() => takeOver(desk));
    if (batch.length === 0) return recovered;
    const results = await Promise.allSettled(
      batch.map((work) => desk.appliers.apply(work.tenant, work.work_id)),
    );
    recovered += results.filter((result) => result.status === 'fulfilled').length;
    if (results.some((result) => result.status === 'rejected')) return recovered;
  }
}

/** Takes over what no living process is at: its time has run out, or its process is gone. */
function* takeOver(desk: Desk): Tx<Pending[]> {
  const now_ms = desk.now_ms();
  const waiting = yield* all<Pending>(sql`
    SELECT tenant, work_id, applier, applier_until FROM works
    WHERE pending_receipt IS NOT NULL AND apply_attempts < ${LIMITS.applyAttempts}
      ${isImporting(desk) ? sql`AND checkpoint_id IS NOT NULL` : sql``}
    ORDER BY pending_since LIMIT ${LIMITS.recoveryBatch} ${desk.store.dialect.skipLocked}`);
  const ours = waiting.filter(
    (work) => work.applier === null || isOver(work.applier_until ?? 0, now_ms) || isGone(work.applier),
  );
  for (const work of ours) {
    yield* run(sql`
      UPDATE works SET applier = ${desk.instance}, applier_until = ${now_ms + LIMITS.applierLease_ms}
      WHERE tenant = ${work.tenant} AND work_id = ${work.work_id} AND pending_receipt IS NOT NULL`);
  }
  return ours;
}

/** Whoever is at it renews its time; one that ends later than any renewal could set it was set by a clock that has been set back since. */
function isOver(until_ms: number, now_ms: number): boolean {
  return until_ms <= now_ms || until_ms > now_ms + 2 * LIMITS.applierLease_ms;
}

function isGone(applier: string): boolean {
  const [host, pid] = applier.split(':');
  if (host !== hostname() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
