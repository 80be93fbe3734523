import type { Caller } from '../../core/work.js';
import type { KeyedRequest } from '../../gates/idempotency.js';
import { findWork } from '../../ledger/reads.js';
import type { WorkRow } from '../../ledger/rows.js';
import { insert, run, type Tx } from '../../ledger/sql.js';
import { createWork } from '../create-work.js';
import type { Desk } from '../desk.js';
import { insertEvidence } from './observe.js';
import type { PreparedCase } from './prepare-case.js';
import { refuseOtherTeam, requireIntake, requireRoom } from './room.js';

/** A new case stands at READY at once: that an exception is work needs no triage, and it waits for people anyway. */
export function* openCase(
  desk: Desk,
  caller: Caller,
  prepared: PreparedCase,
  follows: string | null,
  request: KeyedRequest,
): Tx<WorkRow> {
  refuseOtherTeam(desk, caller, prepared.request);
  yield* requireIntake(caller.tenant);
  yield* requireRoom(desk, caller.tenant, prepared.team);
  const { workId } = prepared.work;
  const taken = (yield* findWork(caller.tenant, workId)) !== undefined;
  const free = taken ? `${workId}~${desk.newId().slice(-12)}` : workId;
  const row = yield* createWork(desk, caller, prepared.work, free, follows, request, {
    status: 'READY',
    class: prepared.request.classification,
  });
  const now_ms = desk.now_ms();
  yield* run(
    insert('cases', {
      tenant: row.tenant,
      work_id: row.work_id,
      exception_id: prepared.request.exceptionId,
      origin_system: prepared.origin.system,
      origin: JSON.stringify(prepared.origin),
      occurrence: prepared.occurrence,
      classification: prepared.request.classification,
      occurred_at: prepared.occurredAt_ms,
      team: prepared.team,
      recorded_by: caller.principal,
      recorded_actor: caller.actor,
      last_observed_at: now_ms,
    }),
  );
  yield* run(
    insert('case_observations', {
      tenant: row.tenant,
      work_id: row.work_id,
      number: 1,
      content_sha256: row.input_sha256,
      occurred_at: prepared.occurredAt_ms,
      how: 'created',
      recorded_by: caller.principal,
      at: now_ms,
    }),
  );
  yield* insertEvidence(row, prepared.evidence, caller.principal, now_ms);
  return row;
}
