import type { Change } from './identity.js';
import type { FieldIssue, RefusalCode } from './refusals.js';
import type { Action } from './transitions.js';
import type { Caller, Position } from './work.js';

export interface LeaseFacts {
  readonly holder: string;
  readonly actor: string;
  readonly interruptId: string;
  readonly state: 'reserved' | 'working' | 'result_received' | 'unknown';
  readonly claimedAt_ms: number;
  /** null while parked: the clock stands still. */
  readonly expiresAt_ms: number | null;
}

export interface AnsweredBy {
  readonly receiptId: string;
  readonly action: Action;
  readonly by: string;
  /** True when no later answer was accepted on this thread. */
  readonly isLatest: boolean;
}

/** Everything the decision rests on, loaded in the transaction that writes its outcome. Times in milliseconds since the epoch. */
export interface Facts {
  readonly now_ms: number;
  readonly caller: Caller;
  readonly position: Position;
  /** The current wait's ID; null while an accepted answer is being applied for the first time, or when terminal. */
  readonly interruptId: string | null;
  /** Set when the current wait has its answer, which is not yet applied. */
  readonly pending: { readonly receiptId: string; readonly action: Action; readonly by: string } | null;
  /** The accepted answer of the wait that the submission names, if that wait had one. */
  readonly answeredBy: AnsweredBy | null;
  /** What corrections changed since the version that the submission names (or since the wait it names). */
  readonly changedSince: readonly Change[];
  readonly lease: LeaseFacts | null;
  readonly openBlockers: readonly string[];
  /** Operations with an intent and no known outcome. */
  readonly openEffects: readonly string[];
  /** Whether the bytes that a result declares are stored. */
  readonly artifactStored: boolean;
}

export type Decision =
  | { readonly outcome: 'accept' }
  | {
      readonly outcome: 'refuse';
      readonly code: RefusalCode;
      readonly detail: string;
      readonly errors?: readonly FieldIssue[];
      readonly receiptId?: string;
      /** What to do next, where the code's own words do not fit. */
      readonly next?: string;
    };
