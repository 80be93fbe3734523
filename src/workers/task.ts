import type { DoorLike } from '../client.js';

/** What a claim gives its holder. */
export type Claim = NonNullable<Awaited<ReturnType<DoorLike['claimNext']>>>['claim'];

/** How far a task says it is; renews the lease as progress. */
export interface Progress {
  readonly done?: number;
  readonly total?: number;
  readonly note?: string;
}

/** What a task has while it runs. */
export interface TaskSetting {
  /** A fresh folder of its own, removed afterwards. */
  readonly folder: string;
  /** Aborts when the work is lost, its time is up, or the worker is to stop; the reason says which. */
  readonly signal: AbortSignal;
  /** The artifact to be judged, as a file; only for reviews. */
  readonly artifact?: { readonly path: string; readonly mediaType: string };
  readonly progress: (progress: Progress) => void;
}

/** What came of a task. The log is kept as evidence either way. */
export type TaskEnd = { readonly log: string } & (
  | {
      readonly how: 'finished';
      readonly content: Uint8Array;
      readonly mediaType: string;
      readonly headSha?: string;
      readonly items?: readonly string[];
    }
  | { readonly how: 'failed'; readonly reason: string }
);

/** Something that does one claimed work: a command, or a chat model. Throws only for what is a fault of this program. */
export type Task = (claim: Claim, setting: TaskSetting) => Promise<TaskEnd>;

/** What a reviewing task found. */
export type VerdictEnd = { readonly log: string } & (
  | { readonly how: 'judged'; readonly verdict: 'PASS' | 'ESCALATE' }
  | { readonly how: 'judged'; readonly verdict: 'REWORK'; readonly findings: readonly Finding[] }
  | { readonly how: 'failed'; readonly reason: string }
);

export interface Finding {
  readonly path: string;
  readonly message: string;
}

export type Judge = (claim: Claim, setting: TaskSetting) => Promise<VerdictEnd>;
