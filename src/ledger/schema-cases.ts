import { rankExpression } from './rank.js';

/**
 * The tables of cases, of what is told to their origins, and of the basket. `works` holds where a case stands; here
 * is only what a work does not have.
 */
export const CASE_TABLES = `
CREATE INDEX works_ranked ON works (tenant, status, ${rankExpression()}, work_id);
CREATE INDEX works_due ON works (tenant, due_at) WHERE due_at IS NOT NULL AND status NOT IN ('DONE', 'CANCELLED');
CREATE INDEX works_ended ON works (tenant, wait_since) WHERE status IN ('DONE', 'CANCELLED');
CREATE INDEX receipts_by_time ON receipts (tenant, action, at);
CREATE INDEX leases_by_time ON leases (tenant, claimed_at);
CREATE INDEX works_open_lease ON works (tenant, lease_expires_at) WHERE lease_expires_at IS NOT NULL;

CREATE TABLE cases (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  exception_id TEXT NOT NULL,
  origin_system TEXT NOT NULL,
  origin TEXT NOT NULL,
  occurrence TEXT NOT NULL,
  classification TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  team TEXT NOT NULL,
  recorded_by TEXT NOT NULL,
  recorded_actor TEXT NOT NULL,
  observations BIGINT NOT NULL DEFAULT 1 CHECK (observations >= 1),
  last_observed_at BIGINT NOT NULL,
  asked_who TEXT,
  asked_what TEXT,
  asked_at BIGINT,
  asked_until BIGINT,
  escalations BIGINT NOT NULL DEFAULT 0,
  escalated_at BIGINT,
  decision TEXT,
  decision_id TEXT UNIQUE,
  decided_by TEXT,
  decided_at BIGINT,
  reflected_at BIGINT,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  PRIMARY KEY (tenant, work_id),
  FOREIGN KEY (tenant, work_id) REFERENCES works (tenant, work_id),
  CHECK ((decision IS NULL) = (decision_id IS NULL)),
  CHECK ((asked_who IS NULL) = (asked_until IS NULL)),
  CHECK (reflected_at IS NULL OR decision_id IS NOT NULL)
);
CREATE INDEX cases_by_exception ON cases (tenant, exception_id, origin_system, occurred_at);
CREATE INDEX cases_of_team ON cases (tenant, team) WHERE open = 1;
CREATE INDEX cases_asked ON cases (asked_until) WHERE asked_until IS NOT NULL;

CREATE TABLE case_observations (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  content_sha256 TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('created', 'redelivered', 'updated', 'outdated', 'recurred')),
  recorded_by TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, work_id, number)
);

CREATE TABLE case_evidence (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  label TEXT,
  ref TEXT,
  body TEXT,
  access TEXT NOT NULL,
  given_by TEXT NOT NULL,
  at BIGINT NOT NULL,
  retain_until BIGINT NOT NULL,
  erased_at BIGINT,
  PRIMARY KEY (tenant, work_id, sha256),
  CHECK (erased_at IS NULL OR body IS NULL)
);
CREATE INDEX case_evidence_retained ON case_evidence (retain_until) WHERE body IS NOT NULL;

CREATE TABLE rank_changes (
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  rank_before BIGINT NOT NULL,
  input_version BIGINT NOT NULL,
  PRIMARY KEY (tenant, work_id, input_version)
);
CREATE INDEX rank_changes_at ON rank_changes (tenant, at);

CREATE TABLE outbox (
  delivery_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  work_id TEXT NOT NULL,
  target TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'unknown', 'delivered', 'dead')),
  attempts BIGINT NOT NULL DEFAULT 0,
  failures BIGINT NOT NULL DEFAULT 0,
  next_at BIGINT NOT NULL,
  taken_by TEXT,
  taken_until BIGINT,
  last_error TEXT,
  created_at BIGINT NOT NULL,
  settled_at BIGINT,
  CHECK ((state IN ('delivered')) = (settled_at IS NOT NULL))
);
CREATE INDEX outbox_due ON outbox (next_at) WHERE state IN ('pending', 'unknown');
CREATE INDEX outbox_of_work ON outbox (tenant, work_id);

CREATE TABLE dead_letters (
  dead_letter_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('intake', 'outbox')),
  source_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  body TEXT,
  work_id TEXT,
  owner TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'redriven', 'closed')),
  created_at BIGINT NOT NULL,
  retain_until BIGINT NOT NULL,
  settled_by TEXT,
  settled_reason TEXT,
  settled_at BIGINT,
  CHECK ((state = 'open') = (settled_at IS NULL)),
  CHECK (state = 'open' OR settled_reason IS NOT NULL)
);
CREATE UNIQUE INDEX dead_letters_open ON dead_letters (tenant, source, source_id) WHERE state = 'open';
CREATE INDEX dead_letters_by_age ON dead_letters (tenant, state, created_at, dead_letter_id);

CREATE TABLE switches (
  tenant TEXT NOT NULL,
  switch TEXT NOT NULL CHECK (switch IN ('intake', 'claims')),
  number BIGINT NOT NULL,
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  reason TEXT NOT NULL,
  by_principal TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, switch, number)
);
`;
