import type { FlowPolicy } from '../core/advance.js';
import { ACTION_RULES, TRANSITIONS, actionsIn } from '../core/transitions.js';
import { waitIdOf, type Position } from '../core/work.js';

/** What a wait shows to whoever looks at the thread: LangGraph Studio, an SDK client, our own reads. */
export interface WaitRequest {
  readonly waitId: string;
  readonly workId: string;
  readonly status: string;
  readonly waitsFor: string;
  readonly actions: readonly string[];
  readonly round: number;
  readonly inputVersion: number;
  readonly inputSha256: string;
  readonly artifactSha256: string | null;
}

export function waitRequest(position: Position): WaitRequest {
  return {
    waitId: waitIdOf(position),
    workId: position.workId,
    status: position.status,
    waitsFor: TRANSITIONS[position.status].waitsFor,
    actions: actionsIn(position.status).filter((action) => ACTION_RULES[action].external),
    round: position.round,
    inputVersion: position.inputVersion,
    inputSha256: position.inputSha256,
    artifactSha256: position.artifact?.sha256 ?? null,
  };
}

/** Where a node's pass leads; later where keeping the answer takes I/O. */
export type Moved = Position | Promise<Position>;

/** How a node waits: handed in, because a graph without a desk must show and keep more than one with it. */
export type Wait = (
  position: Position,
  policy: FlowPolicy,
  extra?: Readonly<Record<string, unknown>>,
) => Moved;
