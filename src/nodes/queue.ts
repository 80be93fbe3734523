import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** READY: waits for a claim. */
export function queue(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy);
}
