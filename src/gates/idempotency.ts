import { checkIdempotencyKey } from '../core/idempotency-key.js';
import { contentSha256 } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import type { Caller } from '../core/work.js';
import { first, insert, send, sql, type Tx } from '../ledger/sql.js';

export interface KeyedRequest {
  readonly idempotencyKey: string | undefined;
  /** Hash over the operation and everything it was asked to do. */
  readonly digest: string;
}

export function keyedRequest(
  idempotencyKey: string | undefined,
  operation: string,
  workId: string | null,
  body: unknown,
): KeyedRequest {
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
  // Only a keyed request is ever compared, so only then is the hash worth its time.
  const digest =
    idempotencyKey === undefined
      ? ''
      : contentSha256([operation, workId, JSON.parse(JSON.stringify(body)) as unknown]);
  return { idempotencyKey, digest };
}

/** What a key stood for. */
export interface KeyUse {
  readonly work_id: string | null;
  readonly receipt_id: string | null;
}

export interface EarlierUse extends KeyUse {
  /** When, in ms since the epoch: the very moment of what was done then. */
  readonly at: number;
}

/**
 * What this key stood for, when the same principal used it before for the same request.
 * @throws Refusal IDEMPOTENCY_KEY_REUSED when it stood for another request
 */
export function* earlierUse(caller: Caller, request: KeyedRequest): Tx<EarlierUse | null> {
  if (request.idempotencyKey === undefined) return null;
  const row = yield* first<EarlierUse & { digest: string }>(sql`
    SELECT digest, work_id, receipt_id, at FROM idempotency_keys
    WHERE tenant = ${caller.tenant} AND principal = ${caller.principal} AND idempotency_key = ${request.idempotencyKey}`);
  if (!row) return null;
  if (row.digest !== request.digest) {
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      'the same key was sent with another request',
      row.receipt_id ? { receiptId: row.receipt_id } : {},
    );
  }
  return row;
}

export function* rememberKey(caller: Caller, request: KeyedRequest, use: KeyUse, now_ms: number): Tx<void> {
  if (request.idempotencyKey === undefined) return;
  yield* send(
    insert('idempotency_keys', {
      tenant: caller.tenant,
      principal: caller.principal,
      idempotency_key: request.idempotencyKey,
      digest: request.digest,
      ...use,
      at: now_ms,
    }),
  );
}

/** How the registration was answered that this work was first named by under a key. */
export function firstOutcome(
  earlier: EarlierUse,
  caller: Caller,
  work: { readonly created_at: number; readonly created_by: string; readonly follows: string | null },
): 'created' | 'existing' | 'corrected' | 'follow_up' {
  if (earlier.receipt_id !== null) return 'corrected';
  if (earlier.at !== work.created_at || work.created_by !== caller.principal) return 'existing';
  return work.follows === null ? 'created' : 'follow_up';
}

/**
 * For what shows a secret once: the same key again makes no second one, and cannot show the first again.
 * @throws Refusal IDEMPOTENCY_KEY_REUSED
 */
export function* requireFirstUse(caller: Caller, request: KeyedRequest, now_ms: number): Tx<void> {
  if (yield* earlierUse(caller, request))
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      'this was done, and its secret was in the answer to the first request and nowhere else; make another with a new key',
    );
  yield* rememberKey(caller, request, { work_id: null, receipt_id: null }, now_ms);
}
