import { keptText } from '../../core/kept-text.js';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import type { Authenticated } from '../../gates/authorization.js';
import { currentOf } from '../../gates/facts.js';
import { findCase, type DeadLetterRow } from '../../ledger/case-rows.js';
import { findWork } from '../../ledger/reads.js';
import type { WorkRow } from '../../ledger/rows.js';
import { answerWait } from '../answer-wait.js';
import type { Desk } from '../desk.js';

/** Held, then cancelled. */
const STEPS = 2;

/**
 * Ends the case of a decision that its origin will not be told any more: it would wait for that for ever, and nothing
 * newer could come in about it. Whoever told the origin in another way has completed the case before. Cut off between
 * its steps, it goes on when the letter is closed again.
 * @throws Refusal ACTION_NOT_ALLOWED where the case has other trouble that has to be dealt with first
 */
export async function giveUpCase(
  desk: Desk,
  who: Authenticated,
  letter: DeadLetterRow,
  why: string,
): Promise<void> {
  if (letter.source !== 'outbox') return;
  const reason = keptText(`its decision is not told any more: ${why}`, LIMITS.reason_chars);
  for (let step = 0; step < STEPS; step += 1) {
    const row = await desk.store.read(function* () {
      const kept = yield* findCase(letter.tenant, letter.work_id ?? '');
      if (kept?.decision_id !== letter.source_id) return undefined;
      return yield* findWork(letter.tenant, kept.work_id);
    });
    const action = row && nextStep(row);
    if (!row || !action) return;
    await answerWait(desk, who, row.work_id, { action, interruptId: row.interrupt_id ?? undefined, reason });
  }
}

/** Null where the case does not wait for this delivery: it has ended, or its decision is void and made anew. */
function nextStep(row: WorkRow): 'hold' | 'cancel' | null {
  const parked = row.status === 'HOLD' || row.status === 'BLOCKED';
  const at = parked ? row.return_to : row.status;
  if (at === 'MERGE_READY') return parked ? 'cancel' : 'hold';
  if (at !== 'OUTCOME_UNKNOWN' && at !== 'OWNER_GATE') return null;
  throw new Refusal(
    'ACTION_NOT_ALLOWED',
    `${row.work_id} stands at ${at}: closing ends its case, so deal with that first`,
    { current: currentOf(row) },
  );
}
