import type { Resolved } from '../core/answer.js';
import type { z } from 'zod';
import { Refusal, invalid } from '../core/refusals.js';
import type { Authenticated } from '../gates/authorization.js';
import { findArtifact, findLease, findReceipt } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import { answerWait, type CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { leftNothing, traces } from './investigation.js';
import { judged, type Judged } from './judge.js';
import { obstacles, writeHandoff } from './let-go.js';
import { investigateRequest, parseRequest } from './requests.js';

/**
 * The recorded finding after a reservation ran out: `result_found` (what was found goes to validation, in its maker's
 * name), `nothing_found` (back to the queue, with a handoff), `outcome_unknown`. Nothing else moves such a work (I6).
 * @throws Refusal ACTION_NOT_ALLOWED while the reservation runs or an effect's outcome is open
 */
export async function investigate(
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  return await find(desk, who, workId, parseRequest(investigateRequest, body), options);
}

/**
 * The finding that a kind allows without a person: a receipt and a row of history like any other. What was left is
 * looked at again in the transaction that records it, so a result that came in between is not passed over.
 * @throws Refusal ACTION_NOT_ALLOWED when something is there after all
 */
export async function findNothing(desk: Desk, who: Authenticated, workId: string): Promise<Judged> {
  const finding = {
    finding: 'nothing_found' as const,
    evidenceRef: 'automatic: nothing was stored, and this kind has no effects outside',
  };
  return await find(desk, who, workId, finding, {}, function* (row) {
    if (!leftNothing(yield* traces(row)))
      throw new Refusal('ACTION_NOT_ALLOWED', 'something was left here: a person has to look at it');
  });
}

async function find(
  desk: Desk,
  who: Authenticated,
  workId: string,
  request: z.infer<typeof investigateRequest>,
  options: CallOptions,
  check?: (row: WorkRow) => Tx<void>,
): Promise<Judged> {
  const answered = await answerWait(desk, who, workId, { action: 'investigate', ...request }, options, {
    *resolve(_facts, row) {
      if (check) yield* check(row);
      if (request.finding === 'result_found') return { adopted: yield* foundResult(row, request.adopts) };
      if (request.finding === 'nothing_found') return { letGo: yield* obstacles(desk, row) };
      return {};
    },
    *onAccept(row, _caller, receiptId) {
      if (request.finding !== 'nothing_found') return {};
      return yield* writeHandoff(desk, row, receiptId, {
        cause: 'expired',
        reason: `nothing found: ${request.evidenceRef ?? ''}`,
        to: null,
      });
    },
  });
  return judged(answered);
}

/** What an investigator names, checked again: a late result for this input version, or an artifact that its holder stored. */
function* foundResult(row: WorkRow, adopts: string | undefined): Tx<NonNullable<Resolved['adopted']>> {
  if (adopts === undefined)
    throw invalid(
      '/adopts',
      'is required for result_found: a receipt ID, or the sha256 of a stored artifact',
    );
  const late = yield* lateResult(row, adopts);
  if (late) return late;
  const stored = yield* findArtifact(row.tenant, adopts);
  const lease = row.lease_id === null ? undefined : yield* findLease(row.lease_id);
  if (!stored || !lease)
    throw invalid('/adopts', 'names neither a kept result of this work nor a stored artifact');
  if (stored.stored_by !== lease.holder)
    throw invalid('/adopts', `names an artifact that ${lease.holder}, who held this work, did not store`);
  return { artifact: { sha256: stored.sha256 }, author: { principal: lease.holder, actor: lease.actor } };
}

/**
 * A result that was turned away and kept, if it may still be taken: of this work, for the current input version, its
 * bytes on record. Null when the ID names no receipt at all.
 */
export function* lateResult(row: WorkRow, receiptId: string): Tx<NonNullable<Resolved['adopted']> | null> {
  const receipt = yield* findReceipt(receiptId);
  if (!receipt || receipt.tenant !== row.tenant || receipt.work_id !== row.work_id) return null;
  if (receipt.outcome !== 'reference' || receipt.artifact_sha256 === null)
    throw invalid('/adopts', 'names a receipt that is no kept result');
  if (receipt.input_version !== row.input_version)
    throw invalid(
      '/adopts',
      `is for input version ${receipt.input_version ?? '?'}, the current one is ${row.input_version}`,
    );
  if (!(yield* findArtifact(row.tenant, receipt.artifact_sha256)))
    throw invalid('/adopts', 'names a result whose bytes are not on record');
  const artifact =
    receipt.head_sha === null
      ? { sha256: receipt.artifact_sha256 }
      : { sha256: receipt.artifact_sha256, headSha: receipt.head_sha };
  return { artifact, author: { principal: receipt.principal, actor: receipt.actor } };
}
