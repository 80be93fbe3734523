import type { Authenticated } from '../gates/authorization.js';
import { CASE_KIND } from '../core/case.js';
import type { z } from 'zod';
import { Refusal, invalid } from '../core/refusals.js';
import { kindNamed, type Desk } from './desk.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import type { ArtifactRef } from '../core/work.js';
import { changeLease } from '../ledger/leases.js';
import { findReceipt, lateResultsOf } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import { lateResult } from './investigate.js';
import { judged, type Judged } from './judge.js';
import { parseRequest, submitRequest } from './requests.js';

/** For whoever claimed a case and submits as they would for any other work. */
const DECIDE_INSTEAD =
  'Decide it: POST /exceptions/{workId}/decide, or "signalbox exception decide ID --interrupt … --input-version … --decision … --reason …".';

/**
 * Hands in the holder's result for the wait it holds. Durable when it returns; validated and moved on by then too,
 * unless that takes longer than the caller waits. A result that is turned away is kept as reference.
 * @throws Refusal STALE_INTERRUPT, ALREADY_DECIDED, INPUT_CHANGED, ARTIFACT_UNKNOWN, NOT_HOLDER, LEASE_EXPIRED …
 */
export async function submit(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const asked = parseRequest(submitRequest, body);
  const request =
    asked.adopts === undefined || asked.artifact
      ? asked
      : { ...asked, artifact: await adoptable(desk, who, asked.adopts) };
  let choice: Readonly<Record<string, unknown>> = {};
  const answered = await answerWait(desk, who, workId, { action: 'result', ...request }, options, {
    *resolve(_facts, row) {
      if (row.kind === CASE_KIND)
        throw new Refusal(
          'ACTION_NOT_ALLOWED',
          'a case is decided, so that its origin is told: decide it instead',
          { next: DECIDE_INSTEAD },
        );
      if (kindNamed(desk, row.kind).requiresHeadSha && request.artifact?.headSha === undefined) {
        const message = `is required: a result of kind ${row.kind} is a commit`;
        throw new Refusal('INVALID', `/artifact/headSha ${message}`, {
          errors: [{ path: '/artifact/headSha', message }],
        });
      }
      choice = yield* chosenAmong(row, request);
      return {};
    },
    explain: () => choice,
    *onAccept(row) {
      const now_ms = desk.now_ms();
      return yield* changeLease(row, {
        state: 'result_received',
        last_answer_at: now_ms,
        last_artifact_at: now_ms,
      });
    },
  });
  return judged(answered);
}

/** The result that a kept receipt stands for, so that whoever adopts it need not copy its hash. Checked again by the guard's transaction. */
async function adoptable(
  desk: Desk,
  who: Authenticated,
  receiptId: string,
): Promise<ArtifactRef | undefined> {
  const receipt = await desk.store.read(() => findReceipt(receiptId));
  if (!receipt || receipt.tenant !== who.tenant || receipt.artifact_sha256 === null) return undefined;
  return receipt.head_sha === null
    ? { sha256: receipt.artifact_sha256 }
    : { sha256: receipt.artifact_sha256, headSha: receipt.head_sha };
}

/** Which results there were for this input version, where they disagree, and why this one was taken. @throws Refusal INVALID */
function* chosenAmong(
  row: WorkRow,
  request: z.infer<typeof submitRequest>,
): Tx<Readonly<Record<string, unknown>>> {
  if (request.adopts !== undefined) {
    const late = yield* lateResult(row, request.adopts);
    if (!late) throw invalid('/adopts', 'names no kept result of this work');
    if (late.artifact.sha256 !== request.artifact?.sha256)
      throw invalid('/artifact/sha256', 'is not the artifact of the adopted result');
    if (!request.notes) throw invalid('/notes', 'is required when a result is adopted: why this one');
  }
  const others = (yield* lateResultsOf(row.tenant, row.work_id, row.input_version)).filter(
    (receipt) => receipt.artifact_sha256 !== request.artifact?.sha256,
  );
  return {
    ...(others.length > 0 ? { disagreesWith: others.map((receipt) => receipt.receipt_id) } : {}),
    ...(request.notes && (request.adopts !== undefined || others.length > 0)
      ? { choiceReason: request.notes }
      : {}),
  };
}
