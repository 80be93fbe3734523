import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** BLOCKED and HOLD: wait for an outside condition or the end of a pause, and know where to go back to. */
export function parked(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, { returnTo: position.returnTo, findings: position.findings });
}
