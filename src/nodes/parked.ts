import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** BLOCKED and HOLD: wait for an outside condition or the end of a pause, and know where to go back to. */
export function parked(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy, { returnTo: position.returnTo, findings: position.findings });
}
