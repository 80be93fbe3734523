import type { Status } from './work.js';

/** JSON as RFC 8259 has it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One violated rule of a schema: `path` is a JSON Pointer (RFC 6901), '' for the whole value. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

/** A compiled schema (zod or JSON Schema alike): gives the violations, none when the value fits. Pure. */
export type SchemaCheck = (value: unknown) => readonly SchemaIssue[];

/** How an artifact is judged before people look at it. */
export type ValidatorSpec =
  | { readonly type: 'schema'; readonly name: string; readonly check: SchemaCheck }
  | { readonly type: 'required'; readonly name: string; readonly fields: readonly string[] }
  | {
      readonly type: 'command';
      readonly name: string;
      readonly command: readonly string[];
      readonly timeLimit_ms: number;
      /** Exit codes that mean "the artifact is wrong"; any other non-zero code means the validator itself failed. */
      readonly findingExitCodes: readonly number[];
    }
  | { readonly type: 'commit'; readonly name: string; readonly repositoryField: string };

/** Stages that a kind may leave out, but only by saying so. */
export const OPTIONAL_STAGES = ['VP_REVIEW', 'OBSERVING', 'ASSET_GATE'] as const satisfies readonly Status[];
export type OptionalStage = (typeof OPTIONAL_STAGES)[number];

/** Named actions that only an owner may allow, whatever the kind says: they bind or spend in the owner's name. */
export const ALWAYS_OWNER_ONLY = [
  'publish',
  'charge',
  'accept_terms',
  'credentials',
  'trade',
  'move_money',
] as const;

export interface LeasePolicy {
  /** How long a claim reserves a work, in milliseconds. */
  readonly lease_ms: number;
  /** No renewal extends a lease beyond this many milliseconds after the claim. */
  readonly leaseLimit_ms: number;
  /** How long renewals go on being granted without new progress, in milliseconds. */
  readonly noProgress_ms: number;
}

/** A kind of work, resolved and frozen: what counts as the same work, what is checked, and who decides. */
export interface Kind {
  readonly name: string;
  readonly description: string;
  /** JSON Pointers into the input that make the identity; empty means the `workId` itself is the identity. */
  readonly identity: readonly string[];
  readonly inputCheck: SchemaCheck;
  readonly artifactCheck: SchemaCheck | null;
  /** Media type an artifact must have; null accepts any. */
  readonly artifactMediaType: string | null;
  /** True where the artifact is a commit and every result must name its `headSha`. */
  readonly requiresHeadSha: boolean;
  readonly validators: readonly ValidatorSpec[];
  readonly validatorRetries: number;
  readonly lease: LeasePolicy;
  readonly reviewLease_ms: number;
  /** Times a work may be let go of (released, handed on, lost) before it goes to OWNER_GATE instead of the queue. */
  readonly leaseLossLimit: number;
  /** An expiry with nothing stored is found to be nothing without asking, where the kind declares no effects. */
  readonly autoNothingFound: boolean;
  /** Distinct actors that must approve before a gate opens. */
  readonly approvals: number;
  /** Rounds after which another REWORK goes to OWNER_GATE instead. */
  readonly roundLimit: number;
  /** Optional stages that this kind leaves out. */
  readonly skips: readonly OptionalStage[];
  /** The action that MERGE_READY stands for, such as `merge`, `publish` or `pay`. */
  readonly completion: string;
  /** Actions that only an owner may allow; ALWAYS_OWNER_ONLY is among them. */
  readonly ownerOnly: readonly string[];
  /** External effects this kind may have; empty allows an automatic `nothing_found`. */
  readonly effects: readonly string[];
  readonly observation_ms: number;
  /** JSON Pointer into the input used as title where none is given; null for none. */
  readonly titleFrom: string | null;
}
