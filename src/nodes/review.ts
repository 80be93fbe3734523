import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** VP_REVIEW: waits for a verdict on exactly this artifact, by somebody who did not make it. */
export function review(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy, {
    author: position.author,
    headSha: position.artifact?.headSha ?? null,
  });
}
