import type { Change } from '../core/identity.js';
import { untouchedItems } from '../core/kept-items.js';
import { effectsOf, findLease, handoffsOf, openEffects, partialsOf, versionsAfter } from '../ledger/reads.js';
import type { LeaseRow, WorkRow } from '../ledger/rows.js';
import { insert, run, type Tx } from '../ledger/sql.js';
import { kindNamed, type Desk } from './desk.js';
import { effectView } from './views.js';

/** How a holder and its work part: who to, why, and what is left behind. */
export interface Parting {
  readonly cause: 'expired' | 'expertise' | 'release' | 'operator';
  readonly reason: string;
  readonly to: string | null;
  readonly itemsDone?: readonly string[] | undefined;
  readonly itemsLeft?: readonly string[] | undefined;
  readonly partials?: readonly string[] | undefined;
  readonly note?: string | undefined;
}

/** What keeps a work from simply going back to the queue, read in the transaction that lets it go. */
export function* obstacles(desk: Desk, row: WorkRow): Tx<{ effectsOpen: boolean; lossesExceeded: boolean }> {
  const open = yield* openEffects(row.tenant, row.work_id);
  const earlier = yield* handoffsOf(row.tenant, row.work_id);
  return {
    effectsOpen: open.length > 0,
    lossesExceeded: earlier.length + 1 > kindNamed(desk, row.kind).leaseLossLimit,
  };
}

/**
 * Writes the handoff: what is confirmed, what is left, partial artifacts, effects, why. What its author does not say
 * is taken from the record: items from the last reported progress, partials from what was saved.
 */
export function* writeHandoff(
  desk: Desk,
  row: WorkRow,
  receiptId: string,
  parting: Parting,
): Tx<{ reassignments: number }> {
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  const saved = row.lease_id === null ? [] : yield* partialsOf(row.tenant, row.work_id, row.lease_id);
  const effects = yield* effectsOf(row.tenant, row.work_id);
  const itemsDone = parting.itemsDone ?? [
    ...reportedItems(lease),
    ...saved.flatMap((partial) => JSON.parse(partial.items) as string[]),
  ];
  yield* run(
    insert('handoffs', {
      handoff_id: desk.newId(),
      tenant: row.tenant,
      work_id: row.work_id,
      receipt_id: receiptId,
      from_holder: row.holder,
      to_holder: parting.to,
      cause: parting.cause,
      reason: parting.reason,
      items_done: JSON.stringify([...new Set(itemsDone)]),
      items_left: JSON.stringify(parting.itemsLeft ?? []),
      partials: JSON.stringify(parting.partials ?? saved.map((partial) => partial.artifact_sha256)),
      effects: JSON.stringify(effects.map(effectView)),
      note: parting.note ?? null,
      input_version: row.input_version,
      at: desk.now_ms(),
    }),
  );
  return { reassignments: row.reassignments + 1 };
}

/** Items that the holder has reported as done. */
export function reportedItems(lease: LeaseRow | undefined): string[] {
  if (!lease?.progress) return [];
  return (JSON.parse(lease.progress) as { itemsDone?: string[] }).itemsDone ?? [];
}

/** Items finished under an earlier input version that its corrections leave untouched. */
export function* keptItems(row: WorkRow, items: readonly string[], sinceVersion: number): Tx<string[]> {
  const versions = yield* versionsAfter(row.tenant, row.work_id, sinceVersion);
  return untouchedItems(
    items,
    versions.flatMap((version) => JSON.parse(version.changes) as Change[]),
  );
}
