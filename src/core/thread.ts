import type { Position } from './work.js';

/** A thread as its newest checkpoint has it: what a step needs to know of it. LangGraph's words for its own parts. */
export interface ThreadHead {
  readonly checkpointId: string;
  /** The state: where the work stands. */
  readonly position: Position;
  /** LangGraph's count of the thread's supersteps; the input counts as -1. */
  readonly step: number;
  /** The version of every channel. */
  readonly versions: Versions;
  /** For every node, the versions of its triggers that it has taken in. */
  readonly seen: Readonly<Record<string, Versions>>;
}

export type Versions = Readonly<Record<string, number>>;

/** A checkpoint as it is written; the form is LangGraph's. */
export interface NewCheckpoint {
  readonly v: 4;
  readonly id: string;
  readonly ts: string;
  readonly channel_values: Readonly<Record<string, unknown>>;
  readonly channel_versions: Versions;
  readonly versions_seen: Readonly<Record<string, Versions>>;
}

/** The wait that a thread comes to rest at. */
export interface ThreadWait {
  readonly taskId: string;
  readonly interruptId: string;
  /** LangGraph's pending interrupt: its ID, what it shows, and the schema of what may answer it. */
  readonly interrupt: Readonly<Record<string, unknown>>;
}

/** A thread's next head, not written yet. */
export interface ThreadStep {
  readonly position: Position;
  readonly checkpoint: NewCheckpoint;
  readonly metadata: {
    readonly source: 'loop';
    readonly step: number;
    readonly parents: Record<string, never>;
  };
  /** Channels whose version is new with this checkpoint. */
  readonly changed: Versions;
  /** Null at the end. */
  readonly wait: ThreadWait | null;
}
