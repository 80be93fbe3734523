import type { FlowPolicy } from '../core/advance.js';
import type { Position, Status } from '../core/work.js';
import { assetGate } from '../nodes/asset-gate.js';
import { merge } from '../nodes/merge.js';
import { observing } from '../nodes/observing.js';
import { outcomeUnknown } from '../nodes/outcome-unknown.js';
import { ownerGate } from '../nodes/owner-gate.js';
import { parked } from '../nodes/parked.js';
import { queue } from '../nodes/queue.js';
import { review } from '../nodes/review.js';
import { rework } from '../nodes/rework.js';
import { triage } from '../nodes/triage.js';
import { validation, type Validate } from '../nodes/validation.js';
import type { Moved, Wait } from '../nodes/waiting.js';
import { worker } from '../nodes/worker.js';

export type NodeFunction = (position: Position, policy: FlowPolicy, wait: Wait) => Moved;

/** A status that a thread can rest in or pass through; the others are its end. */
export type LiveStatus = Exclude<Status, 'DONE' | 'CANCELLED'>;

/** The one status that waits for nobody: its node works by itself and may take its time. */
export const RUNS_BY_ITSELF: Status = 'VALIDATION';

/** One node per status. */
export function nodesByStatus(validate: Validate): Record<LiveStatus, NodeFunction> {
  return {
    DISCOVERED: triage,
    READY: queue,
    IN_PROGRESS: worker,
    VALIDATION: (position, policy) => validation(position, policy, validate),
    VP_REVIEW: review,
    REWORK: rework,
    OWNER_GATE: ownerGate,
    MERGE_READY: merge,
    OBSERVING: observing,
    ASSET_GATE: assetGate,
    BLOCKED: parked,
    HOLD: parked,
    OUTCOME_UNKNOWN: outcomeUnknown,
  };
}
