import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** OWNER_GATE: waits for the owner's decision on one named action; nothing automatic picks it up. */
export function ownerGate(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, {
    gate: position.gate,
    author: position.author,
    headSha: position.artifact?.headSha ?? null,
  });
}
