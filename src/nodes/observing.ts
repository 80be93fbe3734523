import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** OBSERVING: waits for an observation over the kind's window. */
export function observing(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy);
}
