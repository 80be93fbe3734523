import { changesBetween, type Change } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import type { Submission } from '../core/submission.js';
import type { Authenticated } from '../gates/authorization.js';
import type { Effects } from '../gates/submission-guard.js';
import { findVersion, findWork } from '../ledger/reads.js';
import type { WorkChanges } from '../ledger/record.js';
import type { WorkRow } from '../ledger/rows.js';
import { insert, run, type Tx } from '../ledger/sql.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';

export interface Correction {
  readonly inputText: string;
  readonly inputSha256: string;
  readonly reason: string;
}

/**
 * Makes other content the next input version of a live work, with its field-by-field difference. Whoever works on
 * the old version is told by INPUT_CHANGED; reviews and approvals of it are void.
 */
export async function correct(
  desk: Desk,
  who: Authenticated,
  known: WorkRow,
  correction: Correction,
  options: CallOptions,
) {
  const { submission, effects } = correcting(desk, correction);
  await whenApplied(desk, known, () => answerWait(desk, who, known.work_id, submission, options, effects));
  const work = (await desk.store.read(() => findWork(known.tenant, known.work_id))) ?? known;
  return { outcome: 'corrected' as const, work, replayed: false };
}

/** A correction as the guard takes it, for a transaction of the caller's own. */
export function correcting(
  desk: Desk,
  correction: Correction,
  write?: (row: WorkRow) => Tx<WorkChanges>,
): { readonly submission: Submission; readonly effects: Effects } {
  let changes: readonly Change[] = [];
  return {
    submission: { action: 'correct', reason: correction.reason },
    effects: {
      *resolve(_facts, row) {
        const version = yield* findVersion(row.tenant, row.work_id, row.input_version);
        changes = changesBetween(
          JSON.parse(version?.input ?? 'null'),
          JSON.parse(correction.inputText),
        ).slice(0, LIMITS.changes);
        return {
          correction: {
            inputVersion: row.input_version + 1,
            inputSha256: correction.inputSha256,
            findings: [
              {
                validator: 'correction',
                path: '',
                message: `input version ${row.input_version + 1}: ${correction.reason}`,
              },
              ...changes.map((change) => ({
                validator: 'correction',
                path: change.path,
                message: 'changed by the correction',
              })),
            ].slice(0, LIMITS.findings),
          },
        };
      },
      *onAccept(row, caller) {
        yield* insertVersion(row, correction, changes, caller.principal, desk.now_ms());
        return write ? yield* write(row) : {};
      },
    },
  };
}

/** A correction that meets an answer being applied waits for that and then applies to what it led to. */
async function whenApplied<T>(desk: Desk, known: WorkRow, correctNow: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await correctNow();
    } catch (error) {
      const meets = error instanceof Refusal && error.code === 'ALREADY_DECIDED';
      if (!meets || attempt === LIMITS.correctionAttempts) throw error;
      await desk.appliers.apply(known.tenant, known.work_id);
    }
  }
}

function* insertVersion(
  row: WorkRow,
  correction: Correction,
  changes: readonly Change[],
  by: string,
  now_ms: number,
): Tx<void> {
  yield* run(
    insert('input_versions', {
      tenant: row.tenant,
      work_id: row.work_id,
      version: row.input_version + 1,
      input_sha256: correction.inputSha256,
      input: correction.inputText,
      changes: JSON.stringify(changes),
      reason: correction.reason,
      registered_by: by,
      at: now_ms,
    }),
  );
}
