import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** OUTCOME_UNKNOWN: waits for evidence of what happened outside; it is never tried again to find out. */
export function outcomeUnknown(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy, { returnTo: position.returnTo });
}
