import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** REWORK: the same work, next round, with what was found; waits for a claim. */
export function rework(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, { findings: position.findings });
}
