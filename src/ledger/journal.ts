import { canonicalJson } from '../core/identity.js';
import { GENESIS_HASH, eventHash, type NewEvent } from './record.js';
import { first, insert, send, sql, type Tx } from './sql.js';

/**
 * The journal of a tenant: events that belong to no work, such as a pause or a message that could not be taken. They
 * are history as any other, chained among themselves, under a workId that no work can have. (docs/decisions/0071)
 */
export const JOURNAL = '';

/**
 * A second such chain, of who was let in here and what each may do. It belongs to the desk that wrote it: an archive
 * brings its own only where there is none. (docs/decisions/0091)
 */
export const ACCESS_JOURNAL = '?access';

/** Every chain of events that belong to no work; `?` stands in no workId. */
export const JOURNALS: readonly string[] = [JOURNAL, ACCESS_JOURNAL];

/** The last event of a journal, as the next one is chained to it. */
export interface JournalHead {
  readonly seq: number;
  readonly hash: string;
}

export const journalHead = (tenant: string, journal = JOURNAL): Tx<JournalHead | undefined> =>
  first<JournalHead>(sql`
    SELECT seq, hash FROM history WHERE tenant = ${tenant} AND work_id = ${journal} ORDER BY seq DESC LIMIT 1`);

/**
 * Writes the next event of the journal. Two at once want the same number; the index that keeps numbers apart makes
 * one of them run again. Whoever decides by what the journal says reads its head first and gives it here: what came
 * in between is another's number then, and they decide anew.
 * @returns its number, for the row that it explains
 */
export function* keepInJournal(
  tenant: string,
  event: NewEvent,
  journal = JOURNAL,
  head?: JournalHead | null,
): Tx<number> {
  const last = head === undefined ? yield* journalHead(tenant, journal) : head;
  const entry = {
    tenant,
    work_id: journal,
    seq: (last?.seq ?? 0) + 1,
    at: event.at_ms,
    type: event.type,
    by_principal: event.by,
    data: canonicalJson(event.data ?? {}),
    changes: '{}',
    prev_hash: last?.hash ?? GENESIS_HASH,
  };
  const { work_id: workId, by_principal: by, prev_hash: prevHash, ...same } = entry;
  yield* send(insert('history', { ...entry, hash: eventHash({ ...same, workId, by, prevHash }) }));
  return entry.seq;
}
