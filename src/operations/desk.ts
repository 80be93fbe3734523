import type { CasePolicy } from '../core/case.js';
import type { Kind } from '../core/kind.js';
import { Refusal } from '../core/refusals.js';
import type { CompiledWorkGraph } from '../graph/graph.js';
import type { Stepper } from '../graph/stepper.js';
import type { Store } from '../ledger/store.js';
import type { ArtifactStore } from '../ledger/artifact-store.js';
import type { DeskCheckpoints } from '../ledger/checkpoints.js';
import type { EventFeed } from './event-feed.js';

/** Something that brings accepted answers to their threads. */
export interface Appliers {
  /** Applies whatever this work has pending; resolves when nothing is pending or another process has it. */
  apply(tenant: string, workId: string): Promise<void>;
}

/** LangGraph's own view of the threads, to be looked at: tasks, pending interrupts, the chain of checkpoints. */
export type ThreadReader = Pick<CompiledWorkGraph, 'getState' | 'getStateHistory'>;

/** What operations work with. Built once, in `wiring.ts`; operations never construct a concrete. */
export interface Desk {
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly cases: CasePolicy;
  readonly artifacts: ArtifactStore;
  /** The threads, to be read; only appliers write them. */
  readonly checkpoints: DeskCheckpoints;
  /** Loads LangGraph when it is first asked for. */
  readonly threads: () => Promise<ThreadReader>;
  readonly appliers: Appliers;
  /** The end of the history, read once for all who follow it. */
  readonly feed: EventFeed;
  /** Makes the steps of threads; null where LangGraph's own runner makes all of them. */
  readonly stepper: Pick<Stepper, 'begin' | 'step'> | null;
  /** Names this process in `works.applier`. */
  readonly instance: string;
  readonly now_ms: () => number;
  readonly newId: () => string;
}

/** @throws Refusal INVALID for a kind that nobody declared */
export function kindNamed(desk: Desk, name: string): Kind {
  const kind = desk.kinds.get(name);
  if (!kind) {
    const detail = `no kind ${JSON.stringify(name)}; known: ${[...desk.kinds.keys()].join(', ')}`;
    throw new Refusal('INVALID', detail, { errors: [{ path: '/kind', message: detail }] });
  }
  return kind;
}
