import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** OWNER_GATE: waits for the owner's decision on one named action; nothing automatic picks it up. */
export function ownerGate(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy, {
    gate: position.gate,
    author: position.author,
    headSha: position.artifact?.headSha ?? null,
  });
}
