import { at, canonicalJson, threadIdOf } from '../core/identity.js';
import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import type { Caller } from '../core/work.js';
import { rememberKey, type KeyedRequest } from '../gates/idempotency.js';
import { actingName, pendingChanges } from '../gates/submission-guard.js';
import { GENESIS_HASH, recordNew } from '../ledger/record.js';
import type { WorkRow } from '../ledger/rows.js';
import { insert, send, type Tx } from '../ledger/sql.js';
import { startAtOnce } from './apply-at-once.js';
import type { Desk } from './desk.js';
import { gateContext } from './gate-context.js';
import type { Prepared } from './prepare.js';

/** Where a work stands that nobody has said anything about. */
const PRIORITY_DEFAULT = 2;

/** How a new work stands: a case is work at once, and has a class. */
export interface Standing {
  readonly status: 'DISCOVERED' | 'READY';
  readonly class: string | null;
  /** An import leaves the start of its many threads to recovery, or to whoever answers first. */
  readonly starts?: false;
}

/** Writes a new work: its row, first input version, receipt, blockers and event, and starts its thread. */
export function* createWork(
  desk: Desk,
  caller: Caller,
  prepared: Prepared,
  workId: string,
  follows: string | null,
  request: KeyedRequest,
  standing: Standing = { status: 'DISCOVERED', class: null },
): Tx<WorkRow> {
  const context = gateContext(desk);
  const { now_ms, newId } = context;
  const { request: asked, kind } = prepared;
  const receiptId = newId();
  const by = actingName(caller);
  // Every column by name: an object spread together from parts is a hash table to V8, and an import makes many.
  const row: WorkRow = {
    tenant: caller.tenant,
    work_id: workId,
    thread_id: threadIdOf(caller.tenant, workId),
    kind: kind.name,
    class: standing.class,
    title: titleOf(prepared, workId),
    identity_sha256: prepared.identitySha256,
    source: asked.source === undefined ? null : canonicalJson(asked.source),
    impact: asked.impact ?? null,
    urgency: asked.urgency ?? null,
    priority: asked.priority ?? PRIORITY_DEFAULT,
    due_at: asked.dueAt === undefined ? null : Date.parse(asked.dueAt),
    created_at: now_ms,
    created_by: caller.principal,
    updated_at: now_ms,
    follows,
    status: standing.status,
    round: 1,
    step: 0,
    input_version: 1,
    input_sha256: prepared.inputSha256,
    artifact_sha256: null,
    head_sha: null,
    author: null,
    author_actor: null,
    findings: '[]',
    gate: null,
    approval: null,
    return_to: null,
    checkpoint_id: null,
    interrupt_id: null,
    wait_since: null,
    holder: null,
    holder_actor: null,
    lease_id: null,
    lease_state: null,
    lease_expires_at: null,
    reassignments: 0,
    last_receipt: receiptId,
    pending_receipt: null,
    pending_since: null,
    applier: null,
    applier_until: null,
    apply_attempts: 0,
    apply_error: null,
    external_id: null,
    asset_ref: null,
    history_seq: 0,
    history_hash: GENESIS_HASH,
  };
  const receipt = {
    ...BLANK_RECEIPT,
    receipt_id: receiptId,
    tenant: caller.tenant,
    work_id: workId,
    principal: caller.principal,
    actor: caller.actor,
    on_behalf_of: caller.via ? JSON.stringify(caller.via) : null,
    at: now_ms,
  };
  const starts = standing.starts !== false;
  const started = starts ? yield* startAtOnce(desk, row, receipt) : null;
  Object.assign(row, started?.changes ?? pendingChanges(context, receipt));
  // Nobody is at starting the thread of an imported work, so nobody's time has to run out before recovery does.
  if (!starts) Object.assign(row, { applier: null, applier_until: null });
  yield* recordNew(row, {
    type: 'work.registered',
    by,
    at_ms: now_ms,
    data: {
      receiptId,
      blockedBy: asked.blockedBy ?? [],
      ...(follows ? { follows } : {}),
      ...(asked.correction ? { reason: asked.correction.reason } : {}),
      ...(started ? { applied: true, ...started.data } : {}),
    },
  });
  yield* send(
    insert('input_versions', {
      tenant: row.tenant,
      work_id: workId,
      version: 1,
      input_sha256: prepared.inputSha256,
      input: prepared.inputText,
      changes: '[]',
      reason: null,
      registered_by: caller.principal,
      at: now_ms,
    }),
  );
  yield* send(insert('receipts', { ...receipt, applied_at: started ? now_ms : null }));
  if (started) yield* started.write();
  for (const blockedBy of new Set(asked.blockedBy ?? [])) {
    yield* send(insert('work_blocks', { tenant: row.tenant, work_id: workId, blocked_by: blockedBy }));
  }
  yield* rememberKey(caller, request, { work_id: workId, receipt_id: null }, now_ms);
  return row;
}

const BLANK_RECEIPT = {
  interrupt_id: null,
  action: 'register',
  outcome: 'accepted',
  code: null,
  detail: null,
  moves: 1,
  input_version: 1,
  artifact_sha256: null,
  head_sha: null,
  body: '{}',
  applied_at: null,
} as const;

/** A work's ID that the desk has made begins with its kind already. */
const nameOf = (kind: string, workId: string): string =>
  workId.startsWith(`${kind}-`) ? workId : `${kind} ${workId}`;

function titleOf({ request, kind }: Prepared, workId: string): string {
  const derived = kind.titleFrom === null ? undefined : at(request.input, kind.titleFrom);
  return (
    request.title ??
    (typeof derived === 'string' && derived !== ''
      ? keptText(derived, LIMITS.title_chars)
      : nameOf(kind.name, workId))
  );
}
