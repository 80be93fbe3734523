import { all, first, sql, type Tx } from './sql.js';

/** A row of `cases`: what a case has beside its work. Times in ms since the epoch; JSON columns as text. */
export interface CaseRow {
  tenant: string;
  work_id: string;
  exception_id: string;
  origin_system: string;
  origin: string;
  occurrence: string;
  classification: string;
  occurred_at: number;
  team: string;
  recorded_by: string;
  recorded_actor: string;
  observations: number;
  last_observed_at: number;
  asked_who: string | null;
  asked_what: string | null;
  asked_at: number | null;
  asked_until: number | null;
  escalations: number;
  escalated_at: number | null;
  decision: string | null;
  decision_id: string | null;
  decided_by: string | null;
  decided_at: number | null;
  reflected_at: number | null;
  open: number;
}

export interface EvidenceRow {
  tenant: string;
  work_id: string;
  sha256: string;
  label: string | null;
  ref: string | null;
  body: string | null;
  access: string;
  given_by: string;
  at: number;
  retain_until: number;
  erased_at: number | null;
}

export interface OutboxRow {
  delivery_id: string;
  tenant: string;
  work_id: string;
  target: string;
  payload: string;
  state: 'pending' | 'unknown' | 'delivered' | 'dead';
  /** Times it was taken up; more than one means that an earlier try may have got through. */
  attempts: number;
  failures: number;
  next_at: number;
  taken_by: string | null;
  taken_until: number | null;
  last_error: string | null;
  created_at: number;
  settled_at: number | null;
}

export interface DeadLetterRow {
  dead_letter_id: string;
  tenant: string;
  source: 'intake' | 'outbox';
  source_id: string;
  reason: string;
  attempts: number;
  body: string | null;
  work_id: string | null;
  owner: string;
  state: 'open' | 'redriven' | 'closed';
  created_at: number;
  retain_until: number;
  settled_by: string | null;
  settled_reason: string | null;
  settled_at: number | null;
}

export const findCase = (tenant: string, workId: string): Tx<CaseRow | undefined> =>
  first<CaseRow>(sql`SELECT * FROM cases WHERE tenant = ${tenant} AND work_id = ${workId}`);

export const evidenceOf = (tenant: string, workId: string): Tx<EvidenceRow[]> =>
  all<EvidenceRow>(
    sql`SELECT * FROM case_evidence WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY at, sha256`,
  );

export const deliveriesOf = (tenant: string, workId: string): Tx<OutboxRow[]> =>
  all<OutboxRow>(
    sql`SELECT * FROM outbox WHERE tenant = ${tenant} AND work_id = ${workId} ORDER BY created_at, delivery_id`,
  );
