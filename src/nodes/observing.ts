import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** OBSERVING: waits for an observation over the kind's window. */
export function observing(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy);
}
