import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** MERGE_READY: waits for the report that the result was merged, published or paid. Signalbox never does it itself. */
export function merge(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy, {
    approval: position.approval,
    headSha: position.artifact?.headSha ?? null,
  });
}
