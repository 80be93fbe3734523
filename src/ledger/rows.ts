import type { ArtifactRef, Approval, Finding, Gate, Party, Position, Status } from '../core/work.js';

/** A row of `works`: the current state of one work. Times in ms since the epoch; JSON columns as text. */
export interface WorkRow {
  tenant: string;
  work_id: string;
  thread_id: string;
  kind: string;
  /** A case's classification; null for what is no case. */
  class: string | null;
  title: string;
  identity_sha256: string;
  source: string | null;
  impact: string | null;
  urgency: string | null;
  priority: number;
  due_at: number | null;
  created_at: number;
  created_by: string;
  updated_at: number;
  follows: string | null;
  status: Status;
  round: number;
  step: number;
  input_version: number;
  input_sha256: string;
  artifact_sha256: string | null;
  head_sha: string | null;
  author: string | null;
  author_actor: string | null;
  findings: string;
  gate: string | null;
  approval: string | null;
  return_to: Status | null;
  checkpoint_id: string | null;
  interrupt_id: string | null;
  wait_since: number | null;
  holder: string | null;
  holder_actor: string | null;
  lease_id: string | null;
  lease_state: LeaseRow['state'] | null;
  lease_expires_at: number | null;
  reassignments: number;
  /** The last accepted answer of this thread, whatever the clock says. */
  last_receipt: string | null;
  pending_receipt: string | null;
  pending_since: number | null;
  applier: string | null;
  applier_until: number | null;
  apply_attempts: number;
  apply_error: string | null;
  external_id: string | null;
  asset_ref: string | null;
  history_seq: number;
  history_hash: string;
}

export interface LeaseRow {
  lease_id: string;
  tenant: string;
  work_id: string;
  interrupt_id: string;
  purpose: 'work' | 'judgement';
  holder: string;
  actor: string;
  state: 'reserved' | 'working' | 'result_received' | 'unknown';
  claimed_at: number;
  expires_at: number | null;
  limit_at: number;
  remaining_ms: number | null;
  last_answer_at: number;
  last_progress_at: number | null;
  last_artifact_at: number | null;
  progress: string | null;
  extensions: number;
  closed_at: number | null;
  close_reason: string | null;
}

export interface ReceiptRow {
  receipt_id: string;
  tenant: string;
  work_id: string;
  interrupt_id: string | null;
  action: string;
  outcome: 'accepted' | 'refused' | 'reference';
  code: string | null;
  detail: string | null;
  moves: number;
  principal: string;
  actor: string;
  on_behalf_of: string | null;
  input_version: number | null;
  artifact_sha256: string | null;
  head_sha: string | null;
  body: string;
  at: number;
  applied_at: number | null;
}

export interface InputVersionRow {
  tenant: string;
  work_id: string;
  version: number;
  input_sha256: string;
  input: string;
  changes: string;
  reason: string | null;
  registered_by: string;
  at: number;
}

export interface HistoryRow {
  position: number;
  tenant: string;
  work_id: string;
  seq: number;
  at: number;
  type: string;
  by_principal: string;
  data: string;
  changes: string;
  prev_hash: string;
  hash: string;
}

export interface ArtifactRow {
  tenant: string;
  sha256: string;
  size_bytes: number;
  media_type: string;
  stored_by: string;
  at: number;
}

export interface EffectRow {
  tenant: string;
  operation_id: string;
  work_id: string;
  action: string;
  target: string;
  outcome: 'intended' | 'confirmed' | 'failed' | 'unknown';
  external_id: string | null;
  evidence_ref: string | null;
  intended_by: string;
  intended_at: number;
  input_version: number;
  settled_by: string | null;
  settled_at: number | null;
}

export interface HandoffRow {
  handoff_id: string;
  tenant: string;
  work_id: string;
  receipt_id: string | null;
  from_holder: string | null;
  to_holder: string | null;
  cause: string;
  reason: string;
  items_done: string;
  items_left: string;
  partials: string;
  effects: string;
  note: string | null;
  input_version: number;
  at: number;
}

/** The columns of a work that are a copy of its checkpoint; written in the checkpoint's own transaction. */
export function positionColumns(position: Position) {
  return {
    status: position.status,
    round: position.round,
    step: position.step,
    input_version: position.inputVersion,
    input_sha256: position.inputSha256,
    artifact_sha256: position.artifact?.sha256 ?? null,
    head_sha: position.artifact?.headSha ?? null,
    author: position.author?.principal ?? null,
    author_actor: position.author?.actor ?? null,
    findings: JSON.stringify(position.findings),
    gate: position.gate ? JSON.stringify(position.gate) : null,
    approval: position.approval ? JSON.stringify(position.approval) : null,
    return_to: position.returnTo,
  } satisfies Partial<WorkRow>;
}

/** The position that a row copies. The holder is the lease's, which the guard reads beside it. */
export function positionOf(row: WorkRow): Position {
  return {
    tenant: row.tenant,
    workId: row.work_id,
    kind: row.kind,
    status: row.status,
    round: row.round,
    step: row.step,
    inputVersion: row.input_version,
    inputSha256: row.input_sha256,
    artifact: artifactOf(row),
    author: partyOf(row.author, row.author_actor),
    holder: partyOf(row.holder, row.holder_actor),
    findings: JSON.parse(row.findings) as Finding[],
    gate: row.gate === null ? null : (JSON.parse(row.gate) as Gate),
    approval: row.approval === null ? null : (JSON.parse(row.approval) as Approval),
    returnTo: row.return_to,
  };
}

export function artifactOf(row: {
  artifact_sha256: string | null;
  head_sha: string | null;
}): ArtifactRef | null {
  if (row.artifact_sha256 === null) return null;
  return row.head_sha === null
    ? { sha256: row.artifact_sha256 }
    : { sha256: row.artifact_sha256, headSha: row.head_sha };
}

function partyOf(principal: string | null, actor: string | null): Party | null {
  return principal === null ? null : { principal, actor: actor ?? principal };
}
