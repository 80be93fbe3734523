import { teamPolicy } from '../../core/case.js';
import { LIMITS } from '../../core/limits.js';
import { findWork } from '../../ledger/reads.js';
import { record } from '../../ledger/record.js';
import { all, run, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { stopWaiting } from './ask.js';

/**
 * What time alone brings about: overdue cases go to the next team, questions that nobody answered give their case
 * back to its holder, and bodies whose retention is over are erased. Nothing is ever decided by time. Idempotent.
 */
export async function runCaseTimers(desk: Desk): Promise<void> {
  await desk.store.write(() => escalateOverdue(desk));
  await desk.store.write(() => eraseBodies(desk));
  const unanswered = await desk.store.read(() =>
    all<{ tenant: string; work_id: string; asked_who: string }>(sql`
      SELECT c.tenant, c.work_id, c.asked_who FROM cases c
      JOIN works w ON w.tenant = c.tenant AND w.work_id = c.work_id
      WHERE c.asked_until IS NOT NULL AND c.asked_until <= ${desk.now_ms()} AND w.status = 'BLOCKED' AND w.pending_receipt IS NULL
      LIMIT ${LIMITS.caseSweep}`),
  );
  for (const { tenant, work_id, asked_who } of unanswered) {
    await stopWaiting(desk, tenant, work_id, `${asked_who} did not answer in time`);
  }
}

interface Overdue {
  tenant: string;
  work_id: string;
  team: string;
  escalations: number;
}

/** Overdue and undecided: once to the team that its own names, and from there on once every deadline's length. */
function* escalateOverdue(desk: Desk): Tx<void> {
  const now_ms = desk.now_ms();
  const overdue = yield* all<Overdue>(sql`
    SELECT c.tenant, c.work_id, c.team, c.escalations FROM works w
    JOIN cases c ON c.tenant = w.tenant AND c.work_id = w.work_id
    WHERE c.open = 1 AND w.class IS NOT NULL AND w.due_at IS NOT NULL AND w.due_at <= ${now_ms} AND w.status NOT IN ('DONE', 'CANCELLED')
      AND c.escalations < ${LIMITS.escalations}
      AND (c.escalated_at IS NULL OR c.escalated_at + (w.due_at - w.created_at) <= ${now_ms})
    LIMIT ${LIMITS.caseSweep}`);
  for (const each of overdue) {
    const row = yield* findWork(each.tenant, each.work_id);
    if (!row) continue;
    const to = teamPolicy(desk.cases, each.team).escalateTo ?? each.team;
    yield* run(sql`
      UPDATE cases SET team = ${to}, escalations = ${each.escalations + 1}, escalated_at = ${now_ms}
      WHERE tenant = ${each.tenant} AND work_id = ${each.work_id}`);
    yield* record(row, {
      type: 'case.escalated',
      by: 'signalbox',
      at_ms: now_ms,
      data: { from: each.team, to, number: each.escalations + 1, holder: row.holder },
    });
  }
}

function* eraseBodies(desk: Desk): Tx<void> {
  const now_ms = desk.now_ms();
  yield* run(sql`
    UPDATE case_evidence SET body = NULL, erased_at = ${now_ms} WHERE body IS NOT NULL AND retain_until <= ${now_ms}`);
  // An open letter is still to be dealt with, so its body stays whatever its age.
  yield* run(sql`
    UPDATE dead_letters SET body = NULL WHERE body IS NOT NULL AND state <> 'open' AND retain_until <= ${now_ms}`);
}
