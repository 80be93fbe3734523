import { LIMITS } from '../core/limits.js';
import { findLease } from '../ledger/reads.js';
import type { LeaseRow, ReceiptRow, WorkRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { about, type Replayed } from './verify-history.js';
import { time } from './views.js';

/** The work's receipts against its events: every one explained, one accepted answer per wait, applied once. */
export async function verifyReceipts(
  desk: Desk,
  row: WorkRow,
  { receipts: named }: Replayed,
): Promise<{ readonly receipts: number; readonly differences: readonly Difference[] }> {
  const differences: Difference[] = [];
  const unseen = new Set(named.keys());
  const answered = new Map<string, string>();
  let receipts = 0;
  let after = '';
  for (;;) {
    const page = await desk.store.read(() => receiptsAfter(row, after));
    for (const receipt of page) {
      unseen.delete(receipt.receipt_id);
      differences.push(...unexplained(row, receipt, named.get(receipt.receipt_id)));
      if (receipt.outcome !== 'accepted' || receipt.moves !== 1 || receipt.interrupt_id === null) continue;
      const earlier = answered.get(receipt.interrupt_id);
      if (earlier !== undefined) differences.push(answeredTwice(row, receipt, earlier));
      answered.set(receipt.interrupt_id, receipt.receipt_id);
    }
    receipts += page.length;
    if (page.length < LIMITS.verifyBatch) break;
    after = page.at(-1)?.receipt_id ?? '';
  }
  for (const receiptId of [...unseen, ...danglingNames(row, named)]) {
    differences.push(
      difference('RECEIPT_MISSING', {
        ...about(row),
        expected: { receiptId },
        found: null,
        detail: `receipt ${receiptId} is named by the work or its history and does not exist`,
      }),
    );
  }
  return { receipts, differences };
}

function* receiptsAfter(row: WorkRow, after: string): Tx<ReceiptRow[]> {
  return yield* all<ReceiptRow>(sql`
    SELECT * FROM receipts WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND receipt_id > ${after}
    ORDER BY receipt_id LIMIT ${LIMITS.verifyBatch}`);
}

function danglingNames(row: WorkRow, named: Replayed['receipts']): string[] {
  return [row.last_receipt, row.pending_receipt].filter(
    (receiptId): receiptId is string => receiptId !== null && !named.has(receiptId),
  );
}

function unexplained(
  row: WorkRow,
  receipt: ReceiptRow,
  events: { readonly named: number; readonly moved: number } = { named: 0, moved: 0 },
): Difference[] {
  const known = {
    ...about(row),
    madeBy: receipt.principal,
    inputVersion: receipt.input_version,
    at: time(receipt.at),
  };
  const moving = receipt.outcome === 'accepted' && receipt.moves === 1;
  const applied = moving && receipt.applied_at !== null;
  const found: Difference[] = [];
  if (events.named === 0 || (applied && events.moved === 0)) {
    found.push(
      difference('RECEIPT_WITHOUT_EVENT', {
        ...known,
        expected: { decided: 1, applied: Number(applied) },
        found: { decided: events.named, applied: events.moved },
        detail: `history does not tell of receipt ${receipt.receipt_id} (${receipt.action})`,
      }),
    );
  }
  if (events.moved > Number(applied)) {
    found.push(
      difference('RECEIPT_APPLIED_TWICE', {
        ...known,
        expected: { applied: Number(applied) },
        found: { applied: events.moved },
        detail: `receipt ${receipt.receipt_id} (${receipt.action}) moved the work more often than it may`,
      }),
    );
  }
  if (moving && !applied !== (row.pending_receipt === receipt.receipt_id)) {
    found.push(
      difference('RECEIPT_NOT_PENDING', {
        ...known,
        expected: { pending: applied ? null : receipt.receipt_id },
        found: { pending: row.pending_receipt },
        detail: applied
          ? `receipt ${receipt.receipt_id} is applied and still named as pending`
          : `receipt ${receipt.receipt_id} was accepted, is not applied, and nobody would apply it`,
      }),
    );
  }
  return found;
}

function answeredTwice(row: WorkRow, receipt: ReceiptRow, earlier: string): Difference {
  return difference('WAIT_ANSWERED_TWICE', {
    ...about(row),
    madeBy: receipt.principal,
    inputVersion: receipt.input_version,
    at: time(receipt.at),
    expected: { interruptId: receipt.interrupt_id, receipts: [earlier] },
    found: { interruptId: receipt.interrupt_id, receipts: [earlier, receipt.receipt_id] },
    detail: 'one wait has two accepted answers',
  });
}

/** The work's open lease against the columns that copy it. */
export async function verifyLease(desk: Desk, row: WorkRow): Promise<readonly Difference[]> {
  const { open, named } = await desk.store.read(function* () {
    return {
      open: yield* all<LeaseRow>(sql`
        SELECT * FROM leases WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND closed_at IS NULL`),
      named: row.lease_id === null ? undefined : yield* findLease(row.lease_id),
    };
  });
  const expected = {
    open: row.lease_id === null ? [] : [row.lease_id],
    holder: row.holder,
    actor: row.holder_actor,
    state: row.lease_state,
    expiresAt: row.lease_expires_at,
  };
  const found = {
    open: open.map((lease) => lease.lease_id),
    holder: named?.holder ?? null,
    actor: named?.actor ?? null,
    state: named?.state ?? null,
    expiresAt: named?.expires_at ?? null,
  };
  const fenced = !named || named.interrupt_id === row.interrupt_id;
  if (fenced && JSON.stringify(expected) === JSON.stringify(found)) return [];
  return [
    difference('LEASE', {
      ...about(row),
      madeBy: named?.holder ?? row.holder,
      at: named ? time(named.claimed_at) : null,
      expected: { ...expected, interruptId: named ? row.interrupt_id : null },
      found: { ...found, interruptId: named?.interrupt_id ?? null },
      detail: "the open lease and the work's row disagree",
    }),
  ];
}
