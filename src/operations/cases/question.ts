import { CASE_KIND } from '../../core/case.js';
import type { WorkRow } from '../../ledger/rows.js';
import { run, sql, type Tx } from '../../ledger/sql.js';

/**
 * The question that a case waits for ends with its wait, whoever ends it and why: a later block of the same case is
 * another matter, which neither an answer nor the question's time may lift.
 */
export function* endQuestion(row: WorkRow): Tx<void> {
  if (row.kind !== CASE_KIND) return;
  yield* run(sql`
    UPDATE cases SET asked_who = NULL, asked_what = NULL, asked_at = NULL, asked_until = NULL
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND asked_who IS NOT NULL`);
}
