import { classificationPolicy, knowsTeam, teamPolicy } from '../../core/case.js';
import { Refusal, invalid } from '../../core/refusals.js';
import type { Caller } from '../../core/work.js';
import { first, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import type { ExceptionRequest } from './requests.js';

export interface SwitchRow {
  readonly switch: 'intake' | 'claims';
  readonly number: number;
  readonly paused: number;
  readonly reason: string;
  readonly by_principal: string;
  readonly at: number;
}

/** When a sender that was told BUSY may try again. */
export const RETRY_AFTER_ms = 30_000;

const WHEN_RESUMED =
  'It stays so until an operator resumes it ("signalbox switch resume"). Then send the same request again, with the same idempotency key.';

export const lastSwitch = (tenant: string, name: SwitchRow['switch']): Tx<SwitchRow | undefined> =>
  first<SwitchRow>(sql`
    SELECT * FROM switches WHERE tenant = ${tenant} AND switch = ${name} ORDER BY number DESC LIMIT 1`);

/** @throws Refusal BUSY while new work is not taken */
export const requireIntake = (tenant: string): Tx<void> => requireRunning(tenant, 'intake', 'intake');

/** @throws Refusal BUSY while nothing is handed out automatically; a claim that names its work is no such thing */
export const requireClaims = (tenant: string): Tx<void> =>
  requireRunning(tenant, 'claims', 'automatic claiming');

function* requireRunning(tenant: string, name: SwitchRow['switch'], what: string): Tx<void> {
  const last = yield* lastSwitch(tenant, name);
  if (!last || last.paused === 0) return;
  throw new Refusal(
    'BUSY',
    `${what} is paused since ${new Date(last.at).toISOString()} by ${last.by_principal}: ${last.reason}`,
    { retryAfter_ms: RETRY_AFTER_ms, since: new Date(last.at).toISOString(), next: WHEN_RESUMED },
  );
}

/**
 * Whoever raises an exception may choose its team only where the desk has none for its classification, and only one
 * that the project knows: another name would be a basket without the capacity that was set. Who runs the desk may.
 * @throws Refusal INVALID
 */
export function refuseOtherTeam(desk: Desk, caller: Caller, request: ExceptionRequest): void {
  const { team, classification } = request;
  if (team === undefined || caller.roles.some((role) => role === 'operator' || role === 'owner')) return;
  const own = classificationPolicy(desk.cases, classification).team;
  if (team === own) return;
  if (own !== null)
    throw invalid('/team', `is set by the desk: exceptions classified ${classification} go to ${own}`);
  if (desk.cases.teams.size > 0 && !knowsTeam(desk.cases, team))
    throw invalid('/team', 'is no team of this desk; leave it out');
}

/** @throws Refusal BUSY when the team holds as many undecided cases as it takes; known cases are not affected */
export function* requireRoom(desk: Desk, tenant: string, team: string): Tx<void> {
  const { capacity } = teamPolicy(desk.cases, team);
  if (capacity === null) return;
  const row = yield* first<{ held: number }>(sql`
    SELECT count(*) AS held FROM cases c JOIN works w ON w.tenant = c.tenant AND w.work_id = c.work_id
    WHERE c.tenant = ${tenant} AND c.team = ${team} AND c.open = 1 AND w.status NOT IN ('DONE', 'CANCELLED')`);
  const held = row?.held ?? 0;
  if (held < capacity) return;
  throw new Refusal('BUSY', `team ${team} is full: it holds ${held} of ${capacity} undecided cases`, {
    retryAfter_ms: RETRY_AFTER_ms,
  });
}
