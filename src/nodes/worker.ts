import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** IN_PROGRESS: waits for the holder's result; nobody else's fits. */
export function worker(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, { holder: position.holder, findings: position.findings });
}
