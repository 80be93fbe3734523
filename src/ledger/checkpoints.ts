import type { BaseCheckpointSaver, Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import type { ThreadHead, ThreadStep, Versions } from '../core/thread.js';
import type { Position } from '../core/work.js';
import type { Tx } from './sql.js';

/** What one run of the graph wants to write, serialised and held back until its transaction. */
export interface CapturedRun {
  /** The new head; null when the run did not advance the thread. */
  readonly checkpointId: string | null;
  /** Writes it. The caller has set `works.checkpoint_id` to the new head in the same transaction. */
  insert(): Tx<void>;
}

/**
 * The checkpoints of a database. Its saver reads as LangGraph's own does, but writes nothing by itself: a run that
 * was opened here is captured and committed with the ledger's rows in one transaction, so the two cannot disagree;
 * any other run (a resume past the desk) is refused at its first checkpoint. (docs/decisions/0003)
 */
export interface Checkpoints extends CheckpointTables, CapturedRuns {}

/** As a desk has them: what only LangGraph's own code needs is loaded when it is first asked for. (docs/decisions/0099) */
export interface DeskCheckpoints extends CheckpointTables {
  langGraph(): Promise<CapturedRuns>;
}

/** The desk's own steps, read and written. */
export interface CheckpointTables {
  /** The head of a work's thread, as far as the next step needs it; undefined when it is not there. */
  head(threadId: string, checkpointId: string): Tx<ThreadHead | undefined>;
  /** Writes a step after `parentId`. The caller has set `works.checkpoint_id` to its checkpoint in the same transaction. */
  write(threadId: string, parentId: string | null, step: ThreadStep): Tx<void>;
  /** Removes all of a thread but its head, and what only the removed ones needed. Gives how many checkpoints went. */
  prune(threadId: string, headId: string): Tx<number>;
}

/** LangGraph's saver and the runs that are captured from it. */
export interface CapturedRuns {
  readonly saver: BaseCheckpointSaver;
  /** Opens a run; put the token into `configurable[RUN_TOKEN]`. */
  open(): string;
  /** Everything the run wrote; ends it. */
  take(token: string): Promise<CapturedRun>;
  /** Ends a run and forgets what it wrote. */
  discard(token: string): void;
}

/** The key in `configurable` that says which captured run a write belongs to. */
export const RUN_TOKEN = 'signalbox_run';

/** A run that was not opened by the desk tried to advance a work's thread. */
export class PastTheDesk extends Error {
  override readonly name = 'PastTheDesk';
  constructor() {
    super(
      'this thread belongs to a work: answer it through the desk (submit, review, decide …), which keeps the receipt. Nothing was changed.',
    );
  }
}

/** The parts of a stored checkpoint, its metadata and its state that the next step needs. */
export function headFrom(checkpoint: unknown, metadata: unknown, work: unknown): ThreadHead {
  const { id, channel_versions, versions_seen } = checkpoint as Checkpoint;
  return {
    checkpointId: id,
    position: work as Position,
    step: (metadata as CheckpointMetadata).step,
    versions: channel_versions as Versions,
    seen: versions_seen as Record<string, Versions>,
  };
}
