import { sha256 } from '../../core/identity.js';
import { keptText, wellFormed } from '../../core/kept-text.js';
import { LIMITS } from '../../core/limits.js';
import { DESK_PRINCIPAL } from '../../core/work.js';
import type { DeadLetterRow } from '../../ledger/case-rows.js';
import { keepInJournal } from '../../ledger/journal.js';
import { first, insert, run, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';

export interface NewLetter {
  readonly tenant: string;
  readonly source: DeadLetterRow['source'];
  readonly sourceId: string;
  readonly reason: string;
  readonly attempts: number;
  /** What could not be taken, to be taken again; null where the desk has it already. */
  readonly body: string | null;
  readonly workId: string | null;
}

/** Puts aside what cannot go on by itself. It counts as open, and the same thing again is the same letter. */
export function* letterOf(desk: Desk, letter: NewLetter): Tx<void> {
  const now_ms = desk.now_ms();
  const reason = keptText(letter.reason, LIMITS.reference_chars);
  const known = yield* first<DeadLetterRow>(sql`
    SELECT * FROM dead_letters
    WHERE tenant = ${letter.tenant} AND source = ${letter.source} AND source_id = ${keptText(letter.sourceId)} AND state = 'open'`);
  const row: DeadLetterRow = {
    dead_letter_id: known?.dead_letter_id ?? desk.newId(),
    tenant: letter.tenant,
    source: letter.source,
    source_id: keptText(letter.sourceId),
    reason,
    attempts: letter.attempts,
    // Not all bytes of a queue are text that every database keeps.
    body: known
      ? known.body
      : letter.body === null
        ? null
        : wellFormed(letter.body).replaceAll('\0', '\uFFFD'),
    work_id: letter.workId,
    owner: desk.cases.deadLetterOwner,
    state: 'open',
    created_at: now_ms,
    retain_until: now_ms + desk.cases.deadLetterRetention_ms,
    settled_by: null,
    settled_reason: null,
    settled_at: null,
  };
  const journal_seq = yield* tellOfLetter(row, 'letter.kept', DESK_PRINCIPAL, now_ms);
  if (known) {
    yield* run(sql`
      UPDATE dead_letters SET attempts = ${row.attempts}, reason = ${reason}, journal_seq = ${journal_seq}
      WHERE dead_letter_id = ${row.dead_letter_id}`);
    return;
  }
  yield* run(insert('dead_letters', { ...row, journal_seq }));
}

/** A letter may belong to no work, so it is the tenant's journal that tells of it. Of its body, only the hash. */
export function* tellOfLetter(row: DeadLetterRow, type: string, by: string, at_ms: number): Tx<number> {
  return yield* keepInJournal(row.tenant, {
    type,
    by,
    at_ms,
    data: {
      deadLetterId: row.dead_letter_id,
      source: row.source,
      sourceId: row.source_id,
      workId: row.work_id,
      state: row.state,
      attempts: row.attempts,
      why: row.reason,
      bodySha256: row.body === null ? null : sha256(row.body),
      settledReason: row.settled_reason,
    },
  });
}

/** Puts aside what an intake could not take; durable when it returns, so the queue may forget it. */
export function keepLetter(desk: Desk, letter: NewLetter): Promise<void> {
  return desk.store.write(() => letterOf(desk, letter));
}
