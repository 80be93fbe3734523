import { upToExpression } from './dwell-span.js';
import { rankExpression } from './rank.js';

/**
 * Version 2: numbers that do not grow slower with the works they count, and a journal of what belongs to no work.
 * `class` copies a case's classification into its work. `work_counts` and `dwell_counts` are kept by triggers, so
 * whatever writes a work is counted in its own transaction; `lane` parts a row, so that writers do not wait for each
 * other, and means nothing. No index is of `kind = …` alone: SQLite would prepare every statement that names a kind anew
 * for each value, to see whether the index fits it. (docs/decisions/0070, 0071)
 */
export const SCHEMA_2 = `
ALTER TABLE works ADD COLUMN class TEXT;
ALTER TABLE switches ADD COLUMN journal_seq BIGINT;
ALTER TABLE dead_letters ADD COLUMN journal_seq BIGINT;
UPDATE works SET class = (SELECT c.classification FROM cases c WHERE c.tenant = works.tenant AND c.work_id = works.work_id)
  WHERE kind = 'exception-case';

CREATE TABLE work_counts (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  class TEXT NOT NULL,
  status TEXT NOT NULL,
  lane BIGINT NOT NULL,
  works BIGINT NOT NULL,
  unowned BIGINT NOT NULL,
  reassignments BIGINT NOT NULL,
  rounds BIGINT NOT NULL,
  PRIMARY KEY (tenant, kind, class, status, lane)
);
CREATE TABLE dwell_counts (
  tenant TEXT NOT NULL,
  day BIGINT NOT NULL,
  kind TEXT NOT NULL,
  class TEXT NOT NULL,
  up_to_ms BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  works BIGINT NOT NULL,
  PRIMARY KEY (tenant, day, kind, class, up_to_ms, lane)
);
INSERT INTO work_counts (tenant, kind, class, status, lane, works, unowned, reassignments, rounds)
  SELECT tenant, kind, coalesce(class, ''), status, 0, count(*), sum(CASE WHEN holder IS NULL THEN 1 ELSE 0 END),
    sum(reassignments), sum(round - 1)
  FROM works GROUP BY tenant, kind, coalesce(class, ''), status;
INSERT INTO dwell_counts (tenant, day, kind, class, up_to_ms, lane, works)
  SELECT tenant, day, kind, class, up_to_ms, 0, count(*) FROM (
    SELECT tenant, wait_since / 86400000 AS day, kind, coalesce(class, '') AS class, ${upToExpression('wait_since - created_at')} AS up_to_ms
    FROM works WHERE status IN ('DONE', 'CANCELLED') AND wait_since IS NOT NULL) AS ended
  GROUP BY tenant, day, kind, class, up_to_ms;

DROP INDEX works_identity;
DROP INDEX works_due;
DROP INDEX works_ended;
DROP INDEX works_open_lease;
DROP INDEX works_claimable;
CREATE INDEX works_identity ON works (tenant, kind, identity_sha256, created_at, work_id);
CREATE INDEX works_claimable ON works (tenant, priority, created_at, work_id)
  WHERE status IN ('READY', 'REWORK') AND pending_receipt IS NULL AND class IS NULL;
CREATE INDEX works_claimable_cases ON works (tenant, priority, created_at, work_id)
  WHERE status IN ('READY', 'REWORK') AND pending_receipt IS NULL AND class IS NOT NULL;
CREATE INDEX works_open ON works (tenant, kind, class, created_at) WHERE status NOT IN ('DONE', 'CANCELLED');
CREATE INDEX works_overdue ON works (tenant, due_at, kind, class, status)
  WHERE due_at IS NOT NULL AND status NOT IN ('DONE', 'CANCELLED');
CREATE INDEX works_due_ranked ON works (tenant, ${rankExpression()}, work_id, due_at)
  WHERE due_at IS NOT NULL AND status NOT IN ('DONE', 'CANCELLED');
CREATE INDEX works_silent ON works (tenant, lease_expires_at, kind, class) WHERE status = 'IN_PROGRESS' AND lease_expires_at IS NOT NULL;
CREATE INDEX works_held_ranked ON works (tenant, ${rankExpression()}, work_id, lease_expires_at) WHERE status = 'IN_PROGRESS';
CREATE INDEX works_not_applied ON works (tenant, pending_since, kind, class) WHERE pending_receipt IS NOT NULL;
CREATE INDEX works_cases_ranked ON works (tenant, status, ${rankExpression()}, work_id) WHERE class IS NOT NULL;
CREATE INDEX works_cases_due ON works (due_at)
  WHERE class IS NOT NULL AND due_at IS NOT NULL AND status NOT IN ('DONE', 'CANCELLED');
CREATE INDEX works_ended ON works (tenant, wait_since, created_at, kind, class) WHERE status IN ('DONE', 'CANCELLED');

CREATE INDEX receipts_turned_away ON receipts (tenant, at) WHERE outcome <> 'accepted';
CREATE INDEX receipts_results ON receipts (tenant, at, principal, outcome, code, work_id) WHERE action = 'result';
CREATE INDEX receipts_taken_up ON receipts (tenant, work_id, at) WHERE action = 'claim' AND outcome = 'accepted' AND moves = 1;
CREATE INDEX receipts_kept ON receipts (tenant, work_id, input_version, at) WHERE outcome = 'reference';
CREATE INDEX receipts_of_artifact ON receipts (tenant, artifact_sha256, work_id, at) WHERE artifact_sha256 IS NOT NULL;
CREATE INDEX artifacts_of_holder ON artifacts (tenant, stored_by, at);
CREATE INDEX partials_of_artifact ON partials (tenant, artifact_sha256);
CREATE INDEX handoffs_by_time ON handoffs (tenant, at);
CREATE INDEX leases_by_result ON leases (tenant, closed_at, holder, claimed_at) WHERE purpose = 'work' AND close_reason = 'result';
CREATE INDEX cases_awaiting ON cases (tenant, work_id) WHERE asked_who IS NOT NULL;
CREATE INDEX cases_decided ON cases (tenant, decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX cases_reflected ON cases (tenant, reflected_at) WHERE reflected_at IS NOT NULL;
CREATE INDEX cases_escalated ON cases (tenant, escalated_at) WHERE escalated_at IS NOT NULL;
CREATE INDEX case_observations_by_time ON case_observations (tenant, at, how);
CREATE INDEX outbox_unknown ON outbox (tenant, work_id) WHERE state = 'unknown';
CREATE INDEX outbox_open ON outbox (tenant, state, failures) WHERE state <> 'delivered';
CREATE INDEX dead_letters_by_arrival ON dead_letters (tenant, created_at);
`;

const COUNTED = ['works', 'unowned', 'reassignments', 'rounds'] as const;

/** Adds a work's row, or takes it away, in the group it belongs to. */
function countWork(row: 'NEW' | 'OLD', sign: '+' | '-', lane: string): string {
  const numbers = [
    '1',
    `CASE WHEN ${row}.holder IS NULL THEN 1 ELSE 0 END`,
    `${row}.reassignments`,
    `${row}.round - 1`,
  ].map((number) => `${sign} (${number})`);
  return `
  INSERT INTO work_counts (tenant, kind, class, status, lane, ${COUNTED.join(', ')})
  VALUES (${row}.tenant, ${row}.kind, coalesce(${row}.class, ''), ${row}.status, ${lane}, ${numbers.join(', ')})
  ON CONFLICT (tenant, kind, class, status, lane) DO UPDATE SET ${COUNTED.map((name) => `${name} = work_counts.${name} + excluded.${name}`).join(', ')};`;
}

function countDwell(lane: string): string {
  return `
  INSERT INTO dwell_counts (tenant, day, kind, class, up_to_ms, lane, works)
  VALUES (NEW.tenant, NEW.wait_since / 86400000, NEW.kind, coalesce(NEW.class, ''), ${upToExpression('NEW.wait_since - NEW.created_at')}, ${lane}, 1)
  ON CONFLICT (tenant, day, kind, class, up_to_ms, lane) DO UPDATE SET works = dwell_counts.works + 1;`;
}

const HAS_CHANGED = `(OLD.status, coalesce(OLD.class, ''), coalesce(OLD.holder, ''), OLD.reassignments, OLD.round)
  <> (NEW.status, coalesce(NEW.class, ''), coalesce(NEW.holder, ''), NEW.reassignments, NEW.round)`;
const HAS_ENDED = `NEW.status IN ('DONE', 'CANCELLED') AND NEW.wait_since IS NOT NULL`;
const COUNTED_COLUMNS = 'status, class, holder, reassignments, round';

/** One writer at a time has no use for lanes. */
export const SQLITE_COUNTS_2 = `
CREATE TRIGGER works_counted_new AFTER INSERT ON works BEGIN${countWork('NEW', '+', '0')} END;
CREATE TRIGGER works_counted AFTER UPDATE OF ${COUNTED_COLUMNS} ON works WHEN ${HAS_CHANGED}
  BEGIN${countWork('OLD', '-', '0')}${countWork('NEW', '+', '0')} END;
CREATE TRIGGER works_dwelt_new AFTER INSERT ON works WHEN ${HAS_ENDED} BEGIN${countDwell('0')} END;
CREATE TRIGGER works_dwelt AFTER UPDATE OF status ON works WHEN ${HAS_ENDED} AND OLD.status NOT IN ('DONE', 'CANCELLED')
  BEGIN${countDwell('0')} END;
`;

/** A connection has one transaction at a time, and connections that come one after the other have different lanes. */
const LANE = '(pg_backend_pid() % 32)';

export const POSTGRES_COUNTS_2 = `
CREATE FUNCTION signalbox_works_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF ${HAS_CHANGED} THEN${countWork('OLD', '-', LANE)}${countWork('NEW', '+', LANE)}
    END IF;
    IF ${HAS_ENDED} AND OLD.status NOT IN ('DONE', 'CANCELLED') THEN${countDwell(LANE)}
    END IF;
  ELSE${countWork('NEW', '+', LANE)}
    IF ${HAS_ENDED} THEN${countDwell(LANE)}
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER works_counted AFTER INSERT OR UPDATE OF ${COUNTED_COLUMNS} ON works FOR EACH ROW EXECUTE FUNCTION signalbox_works_counted();
`;
