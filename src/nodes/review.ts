import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** VP_REVIEW: waits for a verdict on exactly this artifact, by somebody who did not make it. */
export function review(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, {
    author: position.author,
    headSha: position.artifact?.headSha ?? null,
  });
}
