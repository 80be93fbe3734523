import { teamPolicy } from '../../core/case.js';
import { LIMITS } from '../../core/limits.js';
import { DESK_PRINCIPAL } from '../../core/work.js';
import { lockWork } from '../../ledger/reads.js';
import { record } from '../../ledger/record.js';
import { all, first, run, sql, type Statement, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { stopWaiting } from './ask.js';

/**
 * What time alone brings about: overdue cases go to the next team, questions that nobody answered give their case
 * back to its holder, and bodies whose retention is over are erased. Nothing is ever decided by time. Idempotent.
 * One case that cannot be moved keeps nobody else's from it.
 * @throws AggregateError of what failed, after everything else was done
 */
export async function runCaseTimers(desk: Desk): Promise<void> {
  const failed: unknown[] = [];
  const tried = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      failed.push(error);
      return false;
    }
  };
  await tried(() => desk.store.write(() => eraseBodies(desk)));
  await tried(() =>
    eachOf(desk, overdueNow(desk), (one) => tried(() => desk.store.write(() => escalate(desk, one)))),
  );
  await tried(() =>
    eachOf(desk, unansweredNow(desk), ({ tenant, work_id, asked_who }) =>
      tried(() =>
        stopWaiting(desk, tenant, work_id, `${asked_who ?? 'whoever was asked'} did not answer in time`),
      ),
    ),
  );
  if (failed.length === 0) return;
  const [one] = failed;
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
  throw new AggregateError(failed, `${one instanceof Error ? one.message : String(one)}${more}`);
}

interface Timed {
  readonly tenant: string;
  readonly work_id: string;
  readonly asked_who: string | null;
}

/** Page by page up to what one pass takes on; those that fail do not take the place of the others. */
async function eachOf(desk: Desk, due: Statement, act: (one: Timed) => Promise<boolean>): Promise<void> {
  let after: Timed | undefined;
  let done = 0;
  while (done < LIMITS.caseSweep) {
    const from = after;
    const page = await desk.store.read(() =>
      all<Timed>(sql`
        SELECT c.tenant, c.work_id, c.asked_who FROM works w
        JOIN cases c ON c.tenant = w.tenant AND c.work_id = w.work_id
        WHERE ${due} ${from ? sql`AND (c.tenant > ${from.tenant} OR (c.tenant = ${from.tenant} AND c.work_id > ${from.work_id}))` : sql``}
        ORDER BY c.tenant, c.work_id LIMIT ${LIMITS.caseSweep}`),
    );
    for (const one of page) if (await act(one)) done += 1;
    after = page.at(-1);
    if (page.length < LIMITS.caseSweep) return;
  }
}

const unansweredNow = (desk: Desk): Statement => sql`
  c.asked_until IS NOT NULL AND c.asked_until <= ${desk.now_ms()} AND w.status = 'BLOCKED' AND w.pending_receipt IS NULL`;

/** Overdue and undecided: once to the team that its own names, and from there on once every deadline's length. */
const overdueNow = (desk: Desk): Statement => sql`
  c.open = 1 AND w.class IS NOT NULL AND w.due_at IS NOT NULL AND w.due_at <= ${desk.now_ms()} AND w.status NOT IN ('DONE', 'CANCELLED')
  AND c.escalations < ${LIMITS.escalations}
  AND (c.escalated_at IS NULL OR c.escalated_at + (w.due_at - w.created_at) <= ${desk.now_ms()})`;

function* escalate(desk: Desk, { tenant, work_id }: Timed): Tx<void> {
  const now_ms = desk.now_ms();
  // As it is now: another process may have passed it on since it was listed.
  const row = yield* lockWork(desk.store.dialect, tenant, work_id);
  const due = yield* first<{ team: string; escalations: number }>(sql`
    SELECT c.team, c.escalations FROM works w
    JOIN cases c ON c.tenant = w.tenant AND c.work_id = w.work_id
    WHERE c.tenant = ${tenant} AND c.work_id = ${work_id} AND ${overdueNow(desk)}`);
  if (!row || !due) return;
  const to = teamPolicy(desk.cases, due.team).escalateTo ?? due.team;
  yield* run(sql`
    UPDATE cases SET team = ${to}, escalations = ${due.escalations + 1}, escalated_at = ${now_ms}
    WHERE tenant = ${tenant} AND work_id = ${work_id}`);
  yield* record(row, {
    type: 'case.escalated',
    by: DESK_PRINCIPAL,
    at_ms: now_ms,
    data: { from: due.team, to, number: due.escalations + 1, holder: row.holder },
  });
}

function* eraseBodies(desk: Desk): Tx<void> {
  const now_ms = desk.now_ms();
  yield* run(sql`
    UPDATE case_evidence SET body = NULL, erased_at = ${now_ms} WHERE body IS NOT NULL AND retain_until <= ${now_ms}`);
  // An open letter is still to be dealt with, so its body stays whatever its age.
  yield* run(sql`
    UPDATE dead_letters SET body = NULL WHERE body IS NOT NULL AND state <> 'open' AND retain_until <= ${now_ms}`);
}
