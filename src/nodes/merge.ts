import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** MERGE_READY: waits for the report that the result was merged, published or paid. Signalbox never does it itself. */
export function merge(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy, {
    approval: position.approval,
    headSha: position.artifact?.headSha ?? null,
  });
}
