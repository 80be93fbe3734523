import { CASE_TABLES } from './schema-cases.js';
import { PRINCIPAL_TABLES } from './schema-principals.js';

/**
 * The tables. Times are milliseconds since the epoch (`*_at`), JSON is canonical text. Written in the SQL that
 * SQLite and PostgreSQL share; `POSITION_KEY` is the one thing they spell differently.
 * Invariants that a constraint can hold are held here too, so that a bug in code meets a second lock.
 */
export const POSITION_KEY = '/*position-key*/';

export const SCHEMA_1 = `
CREATE TABLE works (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  thread_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  identity_sha256 TEXT NOT NULL,
  source TEXT,
  impact TEXT,
  urgency TEXT,
  priority BIGINT NOT NULL,
  due_at BIGINT,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  follows TEXT,
  status TEXT NOT NULL CHECK (status IN ('DISCOVERED','READY','IN_PROGRESS','VALIDATION','VP_REVIEW','REWORK','OWNER_GATE',
    'MERGE_READY','OBSERVING','ASSET_GATE','BLOCKED','HOLD','OUTCOME_UNKNOWN','DONE','CANCELLED')),
  round BIGINT NOT NULL CHECK (round >= 1),
  step BIGINT NOT NULL CHECK (step >= 0),
  input_version BIGINT NOT NULL CHECK (input_version >= 1),
  input_sha256 TEXT NOT NULL,
  artifact_sha256 TEXT,
  head_sha TEXT,
  author TEXT,
  author_actor TEXT,
  findings TEXT NOT NULL,
  gate TEXT,
  approval TEXT,
  return_to TEXT,
  checkpoint_id TEXT,
  interrupt_id TEXT,
  wait_since BIGINT,
  holder TEXT,
  holder_actor TEXT,
  lease_id TEXT,
  lease_state TEXT,
  lease_expires_at BIGINT,
  reassignments BIGINT NOT NULL DEFAULT 0,
  last_receipt TEXT,
  pending_receipt TEXT,
  pending_since BIGINT,
  applier TEXT,
  applier_until BIGINT,
  apply_attempts BIGINT NOT NULL DEFAULT 0,
  apply_error TEXT,
  external_id TEXT,
  asset_ref TEXT,
  history_seq BIGINT NOT NULL,
  history_hash TEXT NOT NULL,
  PRIMARY KEY (tenant, work_id),
  CHECK ((status = 'OWNER_GATE') <= (gate IS NOT NULL)),
  CHECK ((lease_id IS NULL) = (holder IS NULL))
);
CREATE UNIQUE INDEX works_live_identity ON works (tenant, kind, identity_sha256) WHERE status NOT IN ('DONE', 'CANCELLED');
CREATE INDEX works_identity ON works (tenant, kind, identity_sha256, created_at);
CREATE INDEX works_claimable ON works (tenant, priority, created_at, work_id) WHERE status IN ('READY', 'REWORK') AND pending_receipt IS NULL;
CREATE INDEX works_by_status ON works (tenant, status, created_at, work_id);
CREATE INDEX works_pending ON works (pending_since) WHERE pending_receipt IS NOT NULL;
CREATE INDEX works_lease ON works (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX works_created ON works (tenant, created_at, work_id);

CREATE TABLE work_blocks (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  blocked_by TEXT NOT NULL,
  PRIMARY KEY (tenant, work_id, blocked_by)
);

CREATE TABLE input_versions (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  input_sha256 TEXT NOT NULL,
  input TEXT NOT NULL,
  changes TEXT NOT NULL,
  reason TEXT,
  registered_by TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, work_id, version)
);

CREATE TABLE receipts (
  receipt_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  interrupt_id TEXT,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'refused', 'reference')),
  code TEXT,
  detail TEXT,
  moves INTEGER NOT NULL,
  principal TEXT NOT NULL,
  actor TEXT NOT NULL,
  on_behalf_of TEXT,
  input_version BIGINT,
  artifact_sha256 TEXT,
  head_sha TEXT,
  body TEXT NOT NULL,
  at BIGINT NOT NULL,
  applied_at BIGINT,
  CHECK ((outcome = 'accepted') = (code IS NULL))
);
CREATE UNIQUE INDEX receipts_one_accepted ON receipts (tenant, work_id, interrupt_id) WHERE outcome = 'accepted' AND moves = 1;
CREATE INDEX receipts_of_work ON receipts (tenant, work_id, at);

CREATE TABLE idempotency_keys (
  tenant TEXT NOT NULL,
  principal TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  digest TEXT NOT NULL,
  work_id TEXT,
  receipt_id TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, principal, idempotency_key)
);

CREATE TABLE leases (
  lease_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  interrupt_id TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('work', 'judgement')),
  holder TEXT NOT NULL,
  actor TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'working', 'result_received', 'unknown')),
  claimed_at BIGINT NOT NULL,
  expires_at BIGINT,
  limit_at BIGINT NOT NULL,
  remaining_ms BIGINT,
  last_answer_at BIGINT NOT NULL,
  last_progress_at BIGINT,
  last_artifact_at BIGINT,
  progress TEXT,
  extensions BIGINT NOT NULL DEFAULT 0,
  closed_at BIGINT,
  close_reason TEXT
);
CREATE UNIQUE INDEX leases_one_open ON leases (tenant, work_id) WHERE closed_at IS NULL;
CREATE INDEX leases_of_work ON leases (tenant, work_id, claimed_at);

CREATE TABLE artifacts (
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes BIGINT NOT NULL,
  media_type TEXT NOT NULL,
  stored_by TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, sha256)
);

CREATE TABLE partials (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  lease_id TEXT NOT NULL,
  artifact_sha256 TEXT NOT NULL,
  input_version BIGINT NOT NULL,
  items TEXT NOT NULL,
  principal TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, work_id, lease_id, artifact_sha256)
);

CREATE TABLE effects (
  tenant TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  work_id TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('intended', 'confirmed', 'failed', 'unknown')),
  external_id TEXT,
  evidence_ref TEXT,
  intended_by TEXT NOT NULL,
  intended_at BIGINT NOT NULL,
  input_version BIGINT NOT NULL,
  settled_by TEXT,
  settled_at BIGINT,
  PRIMARY KEY (tenant, operation_id)
);
CREATE INDEX effects_of_work ON effects (tenant, work_id, intended_at);

CREATE TABLE handoffs (
  handoff_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  receipt_id TEXT,
  from_holder TEXT,
  to_holder TEXT,
  cause TEXT NOT NULL,
  reason TEXT NOT NULL,
  items_done TEXT NOT NULL,
  items_left TEXT NOT NULL,
  partials TEXT NOT NULL,
  effects TEXT NOT NULL,
  note TEXT,
  input_version BIGINT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX handoffs_of_work ON handoffs (tenant, work_id, at);

CREATE TABLE history (
  position ${POSITION_KEY},
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  by_principal TEXT NOT NULL,
  data TEXT NOT NULL,
  changes TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (tenant, work_id, seq)
);
CREATE INDEX history_of_tenant ON history (tenant, position);

${PRINCIPAL_TABLES}
${CASE_TABLES}`;

/** History is append-only, whoever holds the connection. The PostgreSQL twin lives with its driver. */
export const SQLITE_GUARDS_1 = `
CREATE TRIGGER history_no_update BEFORE UPDATE ON history BEGIN SELECT RAISE(ABORT, 'signalbox: history is append-only'); END;
CREATE TRIGGER history_no_delete BEFORE DELETE ON history BEGIN SELECT RAISE(ABORT, 'signalbox: history is append-only'); END;
CREATE TRIGGER receipts_no_delete BEFORE DELETE ON receipts BEGIN SELECT RAISE(ABORT, 'signalbox: receipts are kept'); END;
CREATE TRIGGER receipts_no_rewrite BEFORE UPDATE OF receipt_id, tenant, work_id, interrupt_id, action, outcome, code, detail, moves, principal, actor,
  on_behalf_of, input_version, artifact_sha256, head_sha, body, at ON receipts BEGIN SELECT RAISE(ABORT, 'signalbox: receipts are kept as they were given'); END;
CREATE UNIQUE INDEX checkpoints_no_fork ON checkpoints (thread_id, checkpoint_ns, coalesce(parent_checkpoint_id, ''));
CREATE TRIGGER checkpoints_announced BEFORE INSERT ON checkpoints
  WHEN EXISTS (SELECT 1 FROM works w WHERE w.thread_id = NEW.thread_id AND (w.checkpoint_id IS NOT NEW.checkpoint_id
    OR EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = NEW.thread_id AND c.checkpoint_ns = NEW.checkpoint_ns AND c.checkpoint_id = NEW.checkpoint_id)))
  BEGIN SELECT RAISE(ABORT, 'signalbox: this thread belongs to a work; answer it through the desk'); END;
CREATE TRIGGER checkpoints_no_update BEFORE UPDATE ON checkpoints WHEN EXISTS (SELECT 1 FROM works w WHERE w.thread_id = OLD.thread_id)
  BEGIN SELECT RAISE(ABORT, 'signalbox: this thread belongs to a work; answer it through the desk'); END;
CREATE TRIGGER writes_before_checkpoint BEFORE INSERT ON writes
  WHEN EXISTS (SELECT 1 FROM works w WHERE w.thread_id = NEW.thread_id) AND EXISTS (SELECT 1 FROM checkpoints c
    WHERE c.thread_id = NEW.thread_id AND c.checkpoint_ns = NEW.checkpoint_ns AND c.checkpoint_id = NEW.checkpoint_id)
  BEGIN SELECT RAISE(ABORT, 'signalbox: this thread belongs to a work; answer it through the desk'); END;
CREATE TRIGGER writes_no_update BEFORE UPDATE ON writes WHEN EXISTS (SELECT 1 FROM works w WHERE w.thread_id = OLD.thread_id)
  BEGIN SELECT RAISE(ABORT, 'signalbox: this thread belongs to a work; answer it through the desk'); END;
CREATE TRIGGER writes_keep_head BEFORE DELETE ON writes
  WHEN EXISTS (SELECT 1 FROM works w WHERE w.thread_id = OLD.thread_id AND w.checkpoint_id = OLD.checkpoint_id)
  BEGIN SELECT RAISE(ABORT, 'signalbox: the wait of a work''s thread is kept'); END;
CREATE TRIGGER checkpoints_keep_head BEFORE DELETE ON checkpoints
  WHEN EXISTS (SELECT 1 FROM works w WHERE w.thread_id = OLD.thread_id AND w.checkpoint_id = OLD.checkpoint_id)
  BEGIN SELECT RAISE(ABORT, 'signalbox: the head of a work''s thread is kept'); END;
`;
