import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** READY: waits for a claim. */
export function queue(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy);
}
