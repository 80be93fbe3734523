import type { Answer } from '../core/advance.js';
import { decide, isExpired, mayTry, type Decision, type Facts } from '../core/guard.js';
import { answerFrom, type Resolved } from '../core/answer.js';
import { untouchedItems } from '../core/kept-items.js';
import { Refusal, type RefusalDetails } from '../core/refusals.js';
import type { Submission } from '../core/submission.js';
import type { Action } from '../core/transitions.js';
import type { Caller } from '../core/work.js';
import { lockWork, findReceipt } from '../ledger/reads.js';
import { record, type WorkChanges } from '../ledger/record.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { insert, send, type SqlValue, type Tx } from '../ledger/sql.js';
import type { Dialect } from '../ledger/store.js';
import { authenticatedCaller, maySee, type Authenticated } from './authorization.js';
import { currentOf, loadFacts } from './facts.js';
import { earlierUse, rememberKey, type KeyedRequest } from './idempotency.js';

/** What the guard needs of its surroundings. */
export interface GateContext {
  readonly dialect: Dialect;
  readonly now_ms: number;
  readonly newId: () => string;
  /** Who applies what is accepted here, and until when nobody else should. */
  readonly applier: { readonly id: string; readonly until_ms: number };
  /** Brings an accepted answer to its thread in the same transaction. Gives null where that takes longer than a transaction may. */
  readonly applyAtOnce: (row: WorkRow, receipt: ReceiptRow) => Tx<AppliedAtOnce | null>;
}

/** What an answer did to its thread, to be written with its acceptance. */
export interface AppliedAtOnce {
  readonly changes: WorkChanges;
  /** Words for the event: from where to where. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Writes the checkpoint, once the work's row names it. */
  write(): Tx<void>;
}

/** What an action does besides being accepted, in the same transaction: leases, look-ups, its own tables. */
export interface Effects {
  /** Looks up what the answer needs, after the guard and before the receipt. May throw a Refusal, which is recorded. */
  resolve?(facts: Facts, row: WorkRow, caller: Caller): Tx<Omit<Resolved, 'by'>>;
  /** Further columns to change with the acceptance. */
  onAccept?(row: WorkRow, caller: Caller, receiptId: string): Tx<WorkChanges>;
  /** Words for the accepting event that only the action itself knows, such as a choice and its reason. */
  explain?(): Readonly<Record<string, unknown>>;
  /** Whether an accepted answer moves the thread; a reservation of a judgement does not. */
  moves?(row: WorkRow): boolean;
}

export type GuardOutcome =
  | { readonly kind: 'accepted' | 'replayed'; readonly row: WorkRow; readonly receipt: ReceiptRow }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly receipt: ReceiptRow }
  /** The thread's first checkpoint is still to be written: apply, then ask again. */
  | { readonly kind: 'not_started'; readonly row: WorkRow };

/**
 * The submission guard at the desk: one transaction that authenticates, recognises a replay, decides against the
 * current wait and lease, and writes receipt and event. Nothing else accepts an answer.
 * @throws Refusal for what cannot be recorded on a work: UNAUTHENTICATED, NOT_FOUND, IDEMPOTENCY_KEY_REUSED
 */
export function* guardSubmission(
  context: GateContext,
  who: Authenticated,
  workId: string,
  submission: Submission,
  request: KeyedRequest,
  effects: Effects = {},
): Tx<GuardOutcome> {
  const caller = yield* authenticatedCaller(who);
  const row = yield* visibleWork(context.dialect, caller, workId);
  const earlier = yield* earlierUse(caller, request);
  if (earlier?.receipt_id) {
    const receipt = yield* findReceipt(earlier.receipt_id);
    if (receipt) return { kind: 'replayed', row, receipt };
  }
  if (row.checkpoint_id === null && mayTry(caller, submission.action)) return { kind: 'not_started', row };
  const facts = yield* loadFacts(row, caller, submission, context.now_ms);
  const decision = decide(facts, submission);
  if (decision.outcome === 'refuse') return yield* refuse(context, row, facts, submission, decision);
  let resolved: Omit<Resolved, 'by'> = {};
  try {
    if (effects.resolve) resolved = yield* effects.resolve(facts, row, caller);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return yield* refuse(context, row, facts, submission, {
      outcome: 'refuse',
      code: error.code,
      detail: error.detail,
      ...error.details,
    });
  }
  const moves = effects.moves?.(row) ?? true;
  const answer = moves
    ? answerFrom(submission, { ...resolved, by: { principal: caller.principal, actor: caller.actor } })
    : null;
  return yield* accept(context, row, caller, submission, answer, request, effects);
}

/** The work, when this caller may know that it exists. Another tenant's, or a scout's neighbour's, does not. */
export function* visibleWork(dialect: Dialect, caller: Caller, workId: string): Tx<WorkRow> {
  const row = yield* lockWork(dialect, caller.tenant, workId);
  if (!row || !maySee(caller, row)) throw new Refusal('NOT_FOUND', `no work ${workId}`);
  return row;
}

function* accept(
  context: GateContext,
  row: WorkRow,
  caller: Caller,
  submission: Submission,
  answer: Answer | null,
  request: KeyedRequest,
  effects: Effects,
): Tx<GuardOutcome> {
  const { now_ms } = context;
  const moves = answer !== null;
  const found = answer?.action === 'investigate' ? answer.adopted?.artifact : undefined;
  const accepted = receiptFor(context, row, caller, submission, {
    outcome: 'accepted',
    code: null,
    detail: null,
    moves: Number(moves),
    interrupt_id: row.interrupt_id,
    body: JSON.stringify({ submission, ...(answer ? { answer } : {}) }),
    applied_at: moves ? null : now_ms,
    ...(found ? { artifact_sha256: found.sha256, head_sha: found.headSha ?? null } : {}),
  });
  const more = effects.onAccept ? yield* effects.onAccept(row, caller, accepted.receipt_id) : {};
  const applied = moves ? yield* context.applyAtOnce({ ...row, ...more }, accepted) : null;
  const receipt = applied ? { ...accepted, applied_at: now_ms } : accepted;
  yield* send(insert('receipts', receipt as unknown as Record<string, SqlValue>));
  const moved: WorkChanges = moves
    ? { last_receipt: receipt.receipt_id, ...(applied?.changes ?? pendingChanges(context, receipt)) }
    : {};
  const after = yield* record(
    row,
    {
      type: 'submission.accepted',
      by: actingName(caller),
      at_ms: now_ms,
      data: {
        action: submission.action,
        receiptId: receipt.receipt_id,
        interruptId: row.interrupt_id,
        ...behalf(caller),
        ...said(submission),
        ...effects.explain?.(),
        ...(applied ? { applied: true, ...applied.data } : {}),
      },
    },
    { ...more, ...moved },
  );
  if (applied) yield* applied.write();
  yield* rememberKey(caller, request, { work_id: row.work_id, receipt_id: receipt.receipt_id }, now_ms);
  return { kind: 'accepted', row: after, receipt };
}

/** The work's columns while an accepted answer waits to be applied. */
export function pendingChanges({ now_ms, applier }: GateContext, receipt: { receipt_id: string }) {
  return {
    pending_receipt: receipt.receipt_id,
    pending_since: now_ms,
    applier: applier.id,
    applier_until: applier.until_ms,
  };
}

function* refuse(
  context: GateContext,
  row: WorkRow,
  facts: Facts,
  submission: Submission,
  decision: Extract<Decision, { outcome: 'refuse' }>,
): Tx<GuardOutcome> {
  const { caller, changedSince, lease } = facts;
  // A result that came too late, or for an older state, is worth keeping: a later holder may adopt it by name.
  const keeps = submission.action === 'result' && facts.artifactStored && decision.code !== 'FORBIDDEN';
  const receipt = receiptFor(context, row, caller, submission, {
    outcome: keeps ? 'reference' : 'refused',
    code: decision.code,
    detail: decision.detail,
    moves: 0,
    interrupt_id: submission.interruptId ?? null,
    body: JSON.stringify({ submission }),
    applied_at: null,
  });
  yield* send(insert('receipts', receipt as unknown as Record<string, SqlValue>));
  yield* record(row, {
    type: keeps ? 'submission.kept_as_reference' : 'submission.refused',
    by: actingName(caller),
    at_ms: context.now_ms,
    data: {
      action: submission.action,
      code: decision.code,
      detail: decision.detail,
      receiptId: receipt.receipt_id,
      ...behalf(caller),
    },
  });
  const details: RefusalDetails = {
    current: currentOf(row),
    receiptId: decision.receiptId ?? receipt.receipt_id,
    ...(decision.errors ? { errors: decision.errors } : {}),
    ...(decision.next === undefined ? {} : { next: decision.next }),
    ...(decision.code === 'INPUT_CHANGED' ? { changes: changedSince, ...keptOf(submission, facts) } : {}),
    ...(decision.code === 'BLOCKED_BY' ? { blockedBy: facts.openBlockers } : {}),
    ...(lease && !isExpired(lease, facts.now_ms)
      ? { holder: lease.holder, since: new Date(lease.claimedAt_ms).toISOString() }
      : {}),
  };
  return { kind: 'refused', refusal: new Refusal(decision.code, decision.detail, details), receipt };
}

/** What of a result for an older input version need not be done again. */
function keptOf(submission: Submission, { changedSince }: Facts): { kept?: readonly string[] } {
  if (submission.action !== 'result' || submission.items === undefined) return {};
  return { kept: untouchedItems(submission.items, changedSince) };
}

/** Actions that judge or carry on what the stage before left. */
const ABOUT_RESULT: readonly Action[] = ['review', 'decide', 'complete', 'observe', 'asset', 'reconcile'];

function receiptFor(
  context: GateContext,
  row: WorkRow,
  caller: Caller,
  submission: Submission,
  outcome: Pick<
    ReceiptRow,
    'outcome' | 'code' | 'detail' | 'moves' | 'interrupt_id' | 'body' | 'applied_at'
  > &
    Partial<Pick<ReceiptRow, 'artifact_sha256' | 'head_sha'>>,
): ReceiptRow {
  const artifact = submission.action === 'result' ? submission.artifact : undefined;
  const judged = 'artifactSha256' in submission ? submission.artifactSha256 : undefined;
  // An accepted answer about a result names the result, whether its sender spelled it out or not.
  const about = outcome.outcome === 'accepted' && ABOUT_RESULT.includes(submission.action) ? row : null;
  return {
    receipt_id: context.newId(),
    tenant: row.tenant,
    work_id: row.work_id,
    action: submission.action,
    principal: caller.principal,
    actor: caller.actor,
    on_behalf_of: caller.via ? JSON.stringify(caller.via) : null,
    input_version: submission.inputVersion ?? row.input_version,
    artifact_sha256: artifact?.sha256 ?? judged ?? about?.artifact_sha256 ?? null,
    head_sha: artifact?.headSha ?? about?.head_sha ?? null,
    at: context.now_ms,
    ...outcome,
  };
}

/** The name history puts to an act: who really authenticated. */
export function actingName(caller: Caller): string {
  return caller.via?.principal ?? caller.principal;
}

function behalf(caller: Caller): Record<string, unknown> {
  return caller.via ? { onBehalfOf: caller.principal, onBehalfReason: caller.via.reason } : {};
}

/** The words of a submission that history repeats: what was decided and on what evidence, not the payload. */
function said(submission: Submission): Record<string, unknown> {
  const words: Record<string, unknown> = {};
  for (const key of [
    'reason',
    'verdict',
    'decision',
    'gateAction',
    'finding',
    'outcome',
    'evidenceRef',
    'externalId',
    'assetRef',
    'artifactSha256',
    'headSha',
    'adopts',
  ]) {
    const value = (submission as unknown as Record<string, unknown>)[key];
    if (value !== undefined) words[key] = value;
  }
  if (submission.action === 'result' && submission.artifact)
    words['artifactSha256'] = submission.artifact.sha256;
  return words;
}
