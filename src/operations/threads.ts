import type { StateSnapshot } from '@langchain/langgraph';
import { LIMITS } from '../core/limits.js';
import { Refusal, invalid, type Current } from '../core/refusals.js';
import { TERMINAL_STATUSES, waitIdOf, type Caller } from '../core/work.js';
import { authenticatedCaller, maySee, requireRole, type Authenticated } from '../gates/authorization.js';
import { currentOf } from '../gates/facts.js';
import { findReceipt, findWorkByThread, receiptsOf } from '../ledger/reads.js';
import { positionOf, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import { all, first, joined, listOf, sql, type Statement, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { receiptView, workView, type ReceiptView, type WorkView } from './views.js';

/** Works as LangGraph's clients know them: by thread. */

const SEEING = ['viewer', 'scout', 'worker', 'reviewer', 'operator'] as const;

export interface ThreadWork {
  readonly work: WorkView;
  /** The head of its chain; null before its first checkpoint. */
  readonly checkpointId: string | null;
  /** The current wait's name inside the graph. */
  readonly waitId: string;
  readonly current: Current;
}

/** The work of a thread. @throws Refusal NOT_FOUND, also for one that exists in another tenant */
export function threadWork(desk: Desk, who: Authenticated, threadId: string): Promise<ThreadWork> {
  return readThread(desk, who, threadId, function* (row) {
    yield* [];
    return threadWorkOf(row);
  });
}

function threadWorkOf(row: WorkRow): ThreadWork {
  return {
    work: workView(row),
    checkpointId: row.checkpoint_id,
    waitId: waitIdOf(positionOf(row)),
    current: currentOf(row),
  };
}

function readThread<T>(
  desk: Desk,
  who: Authenticated,
  threadId: string,
  read: (row: WorkRow, caller: Caller) => Tx<T>,
): Promise<T> {
  return desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, SEEING, 'reading');
    const row = yield* findWorkByThread(threadId);
    if (!row || row.tenant !== caller.tenant || !maySee(caller, row))
      throw new Refusal('NOT_FOUND', `no thread ${threadId}`);
    return yield* read(row, caller);
  });
}

/** A thread's state, now or as one of its checkpoints has it. @throws Refusal NOT_FOUND */
export async function threadState(
  desk: Desk,
  who: Authenticated,
  threadId: string,
  checkpointId?: string,
): Promise<StateSnapshot> {
  await threadWork(desk, who, threadId);
  const state = await (
    await desk.threads()
  ).getState({
    configurable: { thread_id: threadId, ...(checkpointId ? { checkpoint_id: checkpointId } : {}) },
  });
  if (checkpointId && state.config.configurable?.['checkpoint_id'] !== checkpointId)
    throw noCheckpoint(threadId, checkpointId);
  if (checkpointId && Object.keys(state.values as object).length === 0)
    throw noCheckpoint(threadId, checkpointId);
  return state;
}

function noCheckpoint(threadId: string, checkpointId: string): Refusal {
  return new Refusal('NOT_FOUND', `thread ${threadId} has no checkpoint ${checkpointId}`);
}

/** A thread's checkpoints, newest first. */
export async function threadHistory(
  desk: Desk,
  who: Authenticated,
  threadId: string,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<StateSnapshot[]> {
  await threadWork(desk, who, threadId);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMITS.page_max)
    throw invalid('/limit', `must be a whole number from 1 to ${LIMITS.page_max}`);
  const states: StateSnapshot[] = [];
  const options = {
    limit,
    ...(before ? { before: { configurable: { thread_id: threadId, checkpoint_id: before } } } : {}),
  };
  const reader = await desk.threads();
  for await (const state of reader.getStateHistory({ configurable: { thread_id: threadId } }, options))
    states.push(state);
  return states;
}

export interface ThreadQuery {
  readonly ids?: readonly string[] | undefined;
  readonly status?: 'idle' | 'busy' | 'interrupted' | 'error' | undefined;
  readonly workId?: string | undefined;
  readonly kind?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The tenant's threads, newest first, with how many there are in all. */
export function findThreads(desk: Desk, who: Authenticated, query: ThreadQuery) {
  return desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, SEEING, 'listing');
    const filter = joined(conditions(caller, query), ' AND ');
    const rows = yield* all<WorkRow>(sql`
      SELECT w.* FROM works w WHERE ${filter}
      ORDER BY w.created_at DESC, w.work_id DESC LIMIT ${query.limit} OFFSET ${query.offset}`);
    const count = yield* first<{ total: number }>(sql`SELECT count(*) AS total FROM works w WHERE ${filter}`);
    return { threads: rows.map(threadWorkOf), total: count?.total ?? 0 };
  });
}

function conditions(caller: Caller, query: ThreadQuery): Statement[] {
  const ended = sql`w.status IN ${listOf([...TERMINAL_STATUSES])} AND w.pending_receipt IS NULL`;
  const filter = [sql`w.tenant = ${caller.tenant}`];
  if (caller.roles.every((role) => role === 'scout')) filter.push(sql`w.created_by = ${caller.principal}`);
  if (query.ids)
    filter.push(query.ids.length === 0 ? sql`1 = 0` : sql`w.thread_id IN ${listOf([...query.ids])}`);
  if (query.workId !== undefined) filter.push(sql`w.work_id = ${query.workId}`);
  if (query.kind !== undefined) filter.push(sql`w.kind = ${query.kind}`);
  if (query.status === 'busy') filter.push(sql`w.pending_receipt IS NOT NULL`);
  if (query.status === 'idle') filter.push(ended);
  if (query.status === 'interrupted')
    filter.push(sql`w.pending_receipt IS NULL AND w.status NOT IN ${listOf([...TERMINAL_STATUSES])}`);
  // A refusal never touches a thread here, so none is ever in error.
  if (query.status === 'error') filter.push(sql`1 = 0`);
  return filter;
}

/** An accepted answer of a thread, which LangGraph's clients know as a run. @throws Refusal NOT_FOUND */
export function threadRun(
  desk: Desk,
  who: Authenticated,
  threadId: string,
  runId: string,
): Promise<ReceiptView> {
  return readThread(desk, who, threadId, function* (row) {
    const receipt = yield* findReceipt(runId);
    if (!receipt || !isRun(receipt, row))
      throw new Refusal('NOT_FOUND', `thread ${threadId} has no run ${runId}`);
    return receiptView(receipt);
  });
}

/** The accepted answers of a thread, newest first. */
export function threadRuns(desk: Desk, who: Authenticated, threadId: string): Promise<ReceiptView[]> {
  return readThread(desk, who, threadId, function* (row) {
    const receipts = yield* receiptsOf(row.tenant, row.work_id);
    return receipts
      .filter((receipt) => isRun(receipt, row))
      .toReversed()
      .map(receiptView);
  });
}

const isRun = (receipt: ReceiptRow, row: WorkRow): boolean =>
  receipt.tenant === row.tenant && receipt.work_id === row.work_id && receipt.outcome === 'accepted';
