import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import type { Submission } from '../core/submission.js';
import type { Authenticated } from '../gates/authorization.js';
import { keyedRequest, type KeyedRequest } from '../gates/idempotency.js';
import { guardSubmission, type Effects, type GuardOutcome } from '../gates/submission-guard.js';
import { findReceipt, findWork } from '../ledger/reads.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import type { Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { gateContext } from './gate-context.js';

/** How a call wants to be answered. */
export interface CallOptions {
  readonly idempotencyKey?: string;
  /** How long to wait for the accepted answer to be applied, in ms; 0 returns as soon as it is durable. */
  readonly wait_ms?: number;
  /** The input version that the answer was made for, where its body has no place to say so. */
  readonly inputVersion?: number;
  /** What the key stands for where it is more than this one answer: a verb that tries several works under one key. */
  readonly keyed?: KeyedRequest;
}

export interface Answered {
  readonly receipt: ReceiptRow;
  readonly work: WorkRow;
  readonly replayed: boolean;
}

/** A work whose thread has yet to start is started and asked again; more often than this something is wrong. */
const START_ATTEMPTS = 3;

/**
 * The way of every answer: guard and record in one transaction, then apply. When this returns, the answer is
 * durable; whether it is applied too is in `receipt.applied_at`.
 * @throws Refusal with the reason, after the refusal itself is on record
 */
export async function answerWait(
  desk: Desk,
  who: Authenticated,
  workId: string,
  given: Submission,
  options: CallOptions = {},
  effects: Effects = {},
): Promise<Answered> {
  const submission: Submission =
    given.inputVersion === undefined && options.inputVersion !== undefined
      ? { ...given, inputVersion: options.inputVersion }
      : given;
  const request =
    options.keyed ?? keyedRequest(options.idempotencyKey, submission.action, workId, submission);
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const outcome: GuardOutcome = await desk.store.write(() =>
      guardSubmission(gateContext(desk), who, workId, submission, request, effects),
    );
    switch (outcome.kind) {
      case 'not_started':
        await desk.appliers.apply(who.tenant, workId);
        continue;
      case 'refused':
      case 'replayed':
      case 'accepted':
        return await afterGuard(desk, outcome, options.wait_ms);
    }
  }
  throw notStarted(workId);
}

const notStarted = (workId: string): Refusal =>
  new Refusal('BUSY', `the thread of ${workId} could not be started yet`);

/**
 * What follows the guard's decision, once it is durable: an accepted answer is applied.
 * @throws Refusal with the reason
 */
export async function afterGuard(desk: Desk, outcome: GuardOutcome, wait_ms?: number): Promise<Answered> {
  if (outcome.kind === 'refused') throw outcome.refusal;
  if (outcome.kind === 'not_started') throw notStarted(outcome.row.work_id);
  const { row, receipt } = outcome;
  const replayed = outcome.kind === 'replayed';
  if (row.pending_receipt === null) return { work: row, receipt, replayed };
  await applyWithin(desk, row.tenant, row.work_id, wait_ms);
  return await outcomeNow(desk, row, receipt, replayed);
}

/** Applies, waiting no longer than asked: the answer is durable already, and recovery finishes what this does not. */
export async function applyWithin(
  desk: Desk,
  tenant: string,
  workId: string,
  wait_ms: number = LIMITS.applyWait_ms,
): Promise<void> {
  // A failed apply is on record and retried; the answer stands, so its sender is not told that it failed.
  const applied = desk.appliers.apply(tenant, workId).catch(() => undefined);
  if (wait_ms <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, wait_ms);
  });
  await Promise.race([applied, patience]);
  clearTimeout(timer);
}

function outcomeNow(desk: Desk, row: WorkRow, receipt: ReceiptRow, replayed: boolean): Promise<Answered> {
  return desk.store.read(function* (): Tx<Answered> {
    return {
      work: (yield* findWork(row.tenant, row.work_id)) ?? row,
      receipt: (yield* findReceipt(receipt.receipt_id)) ?? receipt,
      replayed,
    };
  });
}
