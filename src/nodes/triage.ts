import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** DISCOVERED: nothing starts by itself; somebody has to say that this is work. */
export function triage(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy);
}
