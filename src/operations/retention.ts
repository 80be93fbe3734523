import { LIMITS } from '../core/limits.js';
import { DESK_PRINCIPAL } from '../core/work.js';
import { JOURNAL, journalHead, keepInJournal, type JournalHead } from '../ledger/journal.js';
import { all, first, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { pruneTenant, type Pruned } from './prune.js';

const BEGUN = 'retention.begun';
const ENDED = 'retention.ended';

/**
 * Retention on its schedule: once a day, whichever server comes first, says in the tenant's journal that it begins,
 * prunes, and says there what it removed. The journal takes one next event, so of two that come at once the second
 * sees the first and goes. (docs/decisions/0077)
 * @returns what was removed, tenant by tenant; nothing where it was nobody's turn
 */
export async function retentionPass(
  desk: Desk,
  age_ms: number,
  stop: AbortSignal,
): Promise<readonly Pruned[]> {
  const removed: Pruned[] = [];
  const tenants = await desk.store.read(() =>
    all<{ tenant: string }>(sql`
      SELECT DISTINCT tenant FROM work_counts WHERE status IN ('DONE', 'CANCELLED') AND works <> 0 ORDER BY tenant`),
  );
  for (const { tenant } of tenants) {
    if (stop.aborted || !(await desk.store.write(() => takeTurn(desk, tenant, age_ms)))) continue;
    const pruned = await pruneTenant(desk, tenant, age_ms, stop);
    await desk.store.write(() => tell(desk, tenant, ENDED, { ...pruned, cutShort: stop.aborted }));
    removed.push(pruned);
  }
  return removed;
}

function* takeTurn(desk: Desk, tenant: string, age_ms: number): Tx<boolean> {
  const head = (yield* journalHead(tenant)) ?? null;
  const last = yield* first<{ type: string; at: number; data: string }>(sql`
    SELECT type, at, data FROM history WHERE tenant = ${tenant} AND work_id = ${JOURNAL} AND type IN (${BEGUN}, ${ENDED})
    ORDER BY seq DESC LIMIT 1`);
  if (last !== undefined) {
    const { cutShort } = JSON.parse(last.data) as { cutShort?: boolean };
    // One that was begun and never ended belonged to a process that died, one that was cut short to a server that stopped.
    const pause_ms = last.type === ENDED && cutShort !== true ? LIMITS.retention_ms : LIMITS.retentionTurn_ms;
    // In either direction: after a clock was set back, the last one lies in the future.
    if (Math.abs(desk.now_ms() - last.at) < pause_ms) return false;
  }
  yield* tell(desk, tenant, BEGUN, { olderThan_ms: age_ms, instance: desk.instance }, head);
  return true;
}

const tell = (
  desk: Desk,
  tenant: string,
  type: string,
  data: Record<string, unknown>,
  head?: JournalHead | null,
): Tx<number> =>
  keepInJournal(tenant, { type, by: DESK_PRINCIPAL, at_ms: desk.now_ms(), data }, JOURNAL, head);
