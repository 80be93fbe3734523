import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** OUTCOME_UNKNOWN: waits for evidence of what happened outside; it is never tried again to find out. */
export function outcomeUnknown(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, { returnTo: position.returnTo });
}
