import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** DISCOVERED: nothing starts by itself; somebody has to say that this is work. */
export function triage(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy);
}
