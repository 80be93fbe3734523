import { authenticatedCaller, type Authenticated } from '../../gates/authorization.js';
import type { KeyedRequest } from '../../gates/idempotency.js';
import { guardSubmission, type GuardOutcome } from '../../gates/submission-guard.js';
import { findCase } from '../../ledger/case-rows.js';
import { rankOf } from '../../ledger/rank.js';
import type { WorkChanges } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { insert, run, sql, type Tx } from '../../ledger/sql.js';
import { correcting } from '../correct.js';
import type { Desk } from '../desk.js';
import { gateContext } from '../gate-context.js';
import { insertEvidence, observe } from './observe.js';
import type { PreparedCase } from './prepare-case.js';

/**
 * Newer content of an undecided case: its next input version, in the transaction that compared the two. Whoever has
 * it open is told INPUT_CHANGED when they decide on the old one.
 * @param row the case's work, locked
 */
export function* updateCase(
  desk: Desk,
  who: Authenticated,
  row: WorkRow,
  prepared: PreparedCase,
  request: KeyedRequest,
): Tx<GuardOutcome> {
  const correction = { ...prepared.work, reason: 'the exception arrived with newer content' };
  const { submission, effects } = correcting(desk, correction, (at) => writeNewer(desk, who, at, prepared));
  return yield* guardSubmission(gateContext(desk), who, row.work_id, submission, request, effects);
}

function* writeNewer(
  desk: Desk,
  who: Authenticated,
  row: WorkRow,
  { work, request, origin, occurredAt_ms, evidence }: PreparedCase,
): Tx<WorkChanges> {
  const caller = yield* authenticatedCaller(who);
  const kept = yield* findCase(row.tenant, row.work_id);
  if (!kept) throw new Error('a case has its row');
  const now_ms = desk.now_ms();
  yield* observe(desk, caller, row, kept, { sha256: work.inputSha256, occurredAt_ms, how: 'updated' });
  yield* run(sql`
    UPDATE cases SET classification = ${request.classification}, origin = ${JSON.stringify(origin)}
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id}`);
  yield* insertEvidence(row, evidence, caller.principal, now_ms);
  const changes = {
    class: request.classification,
    title: work.request.title ?? row.title,
    impact: request.impact,
    urgency: request.urgency,
    due_at: work.request.dueAt === undefined ? null : Date.parse(work.request.dueAt),
  };
  yield* keepRank(row, { ...row, ...changes }, now_ms);
  return changes;
}

/** A list that is being paged through goes on in the order it began with; for that the old rank is kept. */
function* keepRank(before: WorkRow, after: WorkRow, now_ms: number): Tx<void> {
  if (rankOf(before) === rankOf(after)) return;
  yield* run(
    insert('rank_changes', {
      tenant: before.tenant,
      work_id: before.work_id,
      at: now_ms,
      rank_before: rankOf(before),
      input_version: before.input_version,
    }),
  );
}
