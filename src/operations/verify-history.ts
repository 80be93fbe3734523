import { CASE_KIND } from '../core/case.js';
import { threadIdOf } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { GENESIS_HASH, OPERATIONAL_COLUMNS, eventHash } from '../ledger/record.js';
import type { HistoryRow, WorkRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { time } from './views.js';

/** What the events of one work add up to. */
export interface Replayed {
  readonly events: number;
  /** Receipts that events name: how often accepted or refused, how often brought to the thread. */
  readonly receipts: ReadonlyMap<string, { readonly named: number; readonly moved: number }>;
  readonly differences: readonly Difference[];
}

/** Event types that bring a receipt's answer to the thread. */
const MOVES: readonly string[] = ['thread.started', 'work.moved'];

/** Replays a work's history against its current row: every link of the chain recomputed, every column compared (I10). */
export async function verifyHistory(desk: Desk, row: WorkRow): Promise<Replayed> {
  const differences: Difference[] = [];
  const receipts = new Map<string, { named: number; moved: number }>();
  let state: Record<string, unknown> = {
    tenant: row.tenant,
    work_id: row.work_id,
    thread_id: threadIdOf(row.tenant, row.work_id),
    history_seq: 0,
    history_hash: GENESIS_HASH,
  };
  let events = 0;
  let last = 0;
  for (;;) {
    const page = await desk.store.read(() => eventsAfter(row, last));
    for (const event of page) {
      events += 1;
      last = event.seq;
      differences.push(...brokenLink(row, event, state, events));
      state = {
        ...state,
        ...(JSON.parse(event.changes) as Record<string, unknown>),
        updated_at: event.at,
        history_seq: event.seq,
        history_hash: event.hash,
      };
      countReceipt(receipts, event);
    }
    if (page.length < LIMITS.verifyBatch) break;
  }
  if (row.history_seq !== state['history_seq'] || row.history_hash !== state['history_hash']) {
    differences.push(
      difference('CHAIN_HEAD', {
        ...about(row),
        seq: row.history_seq,
        expected: { seq: state['history_seq'], hash: state['history_hash'] },
        found: { seq: row.history_seq, hash: row.history_hash },
        detail: "the work's row names another last event than its history has",
      }),
    );
  }
  return { events, receipts, differences: [...differences, ...unlikeRow(row, state)] };
}

function* eventsAfter(row: WorkRow, seq: number): Tx<HistoryRow[]> {
  return yield* all<HistoryRow>(sql`
    SELECT * FROM history WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND seq > ${seq}
    ORDER BY seq LIMIT ${LIMITS.verifyBatch}`);
}

function brokenLink(
  row: WorkRow,
  event: HistoryRow,
  before: Record<string, unknown>,
  seq: number,
): Difference[] {
  const known = {
    ...about(row),
    seq: event.seq,
    madeBy: event.by_principal,
    inputVersion: (before['input_version'] as number | undefined) ?? 1,
    at: time(event.at),
  };
  const prevHash = before['history_hash'] as string;
  const found: Difference[] = [];
  if (event.seq !== seq || event.prev_hash !== prevHash) {
    found.push(
      difference('CHAIN_BROKEN', {
        ...known,
        expected: { seq, prevHash },
        found: { seq: event.seq, prevHash: event.prev_hash },
        detail: `event ${event.seq} does not follow the event before it: one is missing, added or moved`,
      }),
    );
  }
  const hash = eventHash({
    tenant: event.tenant,
    workId: event.work_id,
    seq: event.seq,
    at: event.at,
    type: event.type,
    by: event.by_principal,
    data: event.data,
    changes: event.changes,
    prevHash: event.prev_hash,
  });
  if (hash !== event.hash) {
    found.push(
      difference('CHAIN_BROKEN', {
        ...known,
        expected: { hash },
        found: { hash: event.hash },
        detail: `event ${event.seq} (${event.type}) was altered after it was written`,
      }),
    );
  }
  return found;
}

function countReceipt(receipts: Map<string, { named: number; moved: number }>, event: HistoryRow): void {
  const { receiptId, applied } = JSON.parse(event.data) as { receiptId?: unknown; applied?: unknown };
  if (typeof receiptId !== 'string') return;
  const so = receipts.get(receiptId) ?? { named: 0, moved: 0 };
  const moves = MOVES.includes(event.type);
  // An answer that was applied at once is accepted and moved by the same event.
  const moved = so.moved + Number(moves || applied === true);
  receipts.set(receiptId, { named: so.named + Number(!moves), moved });
}

function unlikeRow(row: WorkRow, state: Record<string, unknown>): Difference[] {
  const skipped: readonly string[] = [...OPERATIONAL_COLUMNS, 'history_seq', 'history_hash'];
  return Object.entries(row)
    .filter(([column]) => !skipped.includes(column) && !isFromBefore(row, state, column))
    .filter(([column, value]) => (state[column] ?? null) !== value)
    .map(([column, value]) =>
      difference('REPLAY', {
        ...about(row),
        seq: row.history_seq,
        expected: { [column]: state[column] ?? null },
        found: { [column]: value },
        detail: `${column} of the current row is not what its history adds up to`,
      }),
    );
}

/** Cases that came before works had a class got theirs without an event; `verifyCounts` holds it against the case. */
const isFromBefore = (row: WorkRow, state: Record<string, unknown>, column: string): boolean =>
  column === 'class' && row.kind === CASE_KIND && state['class'] === undefined;

/** What every difference about a work says of it. */
export const about = (row: WorkRow) => ({
  tenant: row.tenant,
  workId: row.work_id,
  inputVersion: row.input_version,
});
