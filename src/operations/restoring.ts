import { JOURNAL, journalHead, keepInJournal } from '../ledger/journal.js';
import { first, sql, type Tx } from '../ledger/sql.js';
import { StoreError, type Store } from '../ledger/store.js';
import { DESK_PRINCIPAL } from '../core/work.js';
import type { Desk } from './desk.js';

/** The journal of the desk as a whole is under a name that no tenant can have. */
export const OF_THE_DESK = '';
const BEGUN = 'restore.begun';
const ENDED = 'restore.ended';

/**
 * From here until `restoreEnded` the desk holds part of an archive, and nobody opens it. Of two that begin at once, the
 * second is given what the first has written to decide by. (docs/decisions/0098)
 * @param refuse throws where the desk may not take an archive
 */
export function* restoreBegun(
  desk: Desk,
  tenants: readonly string[],
  refuse: (since: number | undefined) => Tx<void>,
): Tx<void> {
  const head = (yield* journalHead(OF_THE_DESK)) ?? null;
  yield* refuse(yield* restoringSince());
  yield* keepInJournal(OF_THE_DESK, event(desk, BEGUN, { tenants }), JOURNAL, head);
}

export const restoreEnded = (desk: Desk, brought: Readonly<Record<string, unknown>>): Tx<number> =>
  keepInJournal(OF_THE_DESK, event(desk, ENDED, brought));

const event = (desk: Desk, type: string, data: Readonly<Record<string, unknown>>) => ({
  type,
  by: DESK_PRINCIPAL,
  at_ms: desk.now_ms(),
  data,
});

/** When the restore was begun that has not ended; undefined where the desk is whole. */
function* restoringSince(): Tx<number | undefined> {
  const last = yield* first<{ type: string; at: number }>(sql`
    SELECT type, at FROM history WHERE tenant = ${OF_THE_DESK} AND work_id = ${JOURNAL} ORDER BY seq DESC LIMIT 1`);
  return last?.type === BEGUN ? last.at : undefined;
}

/** @throws StoreError where the desk holds part of an archive */
export async function requireWhole(store: Pick<Store, 'read'>): Promise<void> {
  const since = await store.read(restoringSince);
  if (since === undefined) return;
  throw new StoreError(
    `a restore into this desk was begun at ${new Date(since).toISOString()} and has not ended: it holds part of an archive.\n` +
      'Where it still runs, wait for it. Where it broke off, throw this data folder or database away and restore into an empty one.',
  );
}
