import type { Status } from '../../core/work.js';
import type { WorkView } from '../../operations/views.js';
import type { LampState } from './layout.js';

/** The main line, in the order a work passes it, and the sidings beside it. */
export const MAIN_LINE = [
  'DISCOVERED',
  'READY',
  'IN_PROGRESS',
  'VALIDATION',
  'VP_REVIEW',
  'OWNER_GATE',
  'MERGE_READY',
  'OBSERVING',
  'ASSET_GATE',
  'DONE',
] as const satisfies readonly Status[];
export const SIDINGS = [
  'REWORK',
  'BLOCKED',
  'HOLD',
  'OUTCOME_UNKNOWN',
  'CANCELLED',
] as const satisfies readonly Status[];

/** Statuses that stand still until a person does something: red where it is urgent by nature, amber where it can queue. */
const SIGNALS: Partial<Record<Status, LampState>> = {
  OWNER_GATE: 'red',
  OUTCOME_UNKNOWN: 'red',
  DISCOVERED: 'amber',
  VP_REVIEW: 'amber',
  BLOCKED: 'amber',
  HOLD: 'amber',
};

/** The lamp of a status that holds `count` works, of which `pressing` are late or have gone silent. */
export function signalOf(status: Status, count: number, pressing = 0): LampState {
  if (count === 0) return 'off';
  if (status === 'DONE' || status === 'CANCELLED') return 'off';
  if (pressing > 0) return 'red';
  return SIGNALS[status] ?? 'green';
}

/** Whether a work's holder has let the lease run out: nothing moves it but what somebody finds out. */
export function isSilent(work: Pick<WorkView, 'status' | 'lease'>, now_ms: number): boolean {
  if (work.status !== 'IN_PROGRESS' || work.lease === null) return false;
  const { state, expiresAt } = work.lease;
  return state === 'unknown' || (expiresAt !== null && Date.parse(expiresAt) <= now_ms);
}
