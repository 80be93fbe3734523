import { Refusal } from '../../core/refusals.js';
import { authenticatedCaller, type Authenticated } from '../../gates/authorization.js';
import { findCase } from '../../ledger/case-rows.js';
import { rankOf } from '../../ledger/rank.js';
import type { WorkChanges } from '../../ledger/record.js';
import type { WorkRow } from '../../ledger/rows.js';
import { insert, run, sql, type Tx } from '../../ledger/sql.js';
import type { CallOptions } from '../answer-wait.js';
import { correct } from '../correct.js';
import type { Desk } from '../desk.js';
import { insertEvidence, observe } from './observe.js';
import type { PreparedCase } from './prepare-case.js';

/**
 * Newer content of an undecided case: its next input version. Whoever has it open is told INPUT_CHANGED when they
 * decide on the old one.
 * @throws Refusal STALE_INTERRUPT where it was decided meanwhile, so that the arrival is looked at again
 */
export async function updateCase(
  desk: Desk,
  who: Authenticated,
  known: WorkRow,
  prepared: PreparedCase,
  options: CallOptions,
): Promise<void> {
  const { work, request } = prepared;
  const wait = options.wait_ms === undefined ? {} : { wait_ms: options.wait_ms };
  await correct(desk, who, known, { ...work, reason: 'the exception arrived with newer content' }, wait, {
    *check(row) {
      const kept = yield* findCase(row.tenant, row.work_id);
      if (kept?.decision_id === null && row.input_version === known.input_version) return;
      throw new Refusal('STALE_INTERRUPT', `${row.work_id} moved on while its newer content arrived`);
    },
    *write(row): Tx<WorkChanges> {
      const caller = yield* authenticatedCaller(who);
      const kept = yield* findCase(row.tenant, row.work_id);
      if (!kept) throw new Error('a case has its row');
      const now_ms = desk.now_ms();
      yield* observe(desk, caller, row, kept, {
        sha256: work.inputSha256,
        occurredAt_ms: prepared.occurredAt_ms,
        how: 'updated',
      });
      yield* run(sql`
        UPDATE cases SET classification = ${request.classification}, origin = ${JSON.stringify(prepared.origin)}
        WHERE tenant = ${row.tenant} AND work_id = ${row.work_id}`);
      yield* insertEvidence(row, prepared.evidence, caller.principal, now_ms);
      const changes = {
        class: request.classification,
        title: work.request.title ?? row.title,
        impact: request.impact,
        urgency: request.urgency,
        due_at: work.request.dueAt === undefined ? null : Date.parse(work.request.dueAt),
      };
      yield* keepRank(row, { ...row, ...changes }, now_ms);
      return changes;
    },
  });
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
