/**
 * The nouns of Signalbox.
 *
 * work        one job with a business identity; `workId` is unique in its tenant
 * thread      the work's LangGraph thread: one work, one thread, for life, rework included
 * identity    the business fields that make two inputs the same work
 * wait        one pending LangGraph interrupt of the thread; named by `interruptId` outside and by `waitId` inside the graph
 * submission  any answer to a wait: a claim, a result, a verdict, a decision …
 * receipt     the durable record of what the desk did with a submission
 * lease       the time-limited, exclusive reservation of a wait
 * artifact    bytes named by their SHA-256, or a commit named by its `headSha`
 * principal   who authenticated; actor: the accountable party behind it (two principals of one actor are not two people)
 * position    where a work stands, as its checkpoint holds it
 */

export const STATUSES = [
  'DISCOVERED',
  'READY',
  'IN_PROGRESS',
  'VALIDATION',
  'VP_REVIEW',
  'REWORK',
  'OWNER_GATE',
  'MERGE_READY',
  'OBSERVING',
  'ASSET_GATE',
  'BLOCKED',
  'HOLD',
  'OUTCOME_UNKNOWN',
  'DONE',
  'CANCELLED',
] as const;
export type Status = (typeof STATUSES)[number];

export const TERMINAL_STATUSES = ['DONE', 'CANCELLED'] as const satisfies readonly Status[];

/** The only statuses a claim may start work from. Nothing else is ever picked automatically (I6). */
export const CLAIMABLE_STATUSES = ['READY', 'REWORK'] as const satisfies readonly Status[];

export function isTerminal(status: Status): boolean {
  return (TERMINAL_STATUSES as readonly Status[]).includes(status);
}

export const ROLES = ['viewer', 'scout', 'worker', 'reviewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Who did something: the principal that authenticated and the actor that answers for it. */
export interface Party {
  readonly principal: string;
  readonly actor: string;
}

/** Two names of one person: the same principal, whatever it answers to now, or the same accountable party. */
export const isSameParty = (one: Party, other: Party): boolean =>
  one.principal === other.principal || one.actor === other.actor;

/** The name under which the desk itself acts, in every tenant. Nobody else may have it, or be let in under it. */
export const DESK_PRINCIPAL = 'signalbox';

/** A principal as the desk knows it at the time of an act. */
export interface Caller extends Party {
  readonly tenant: string;
  readonly roles: readonly Role[];
  /** Who really authenticated, where an operator or owner acts on behalf of this principal; both go into history. */
  readonly via?: Party & { readonly reason: string };
}

/** What a worker's result is: stored bytes, and for code the commit they describe. */
export interface ArtifactRef {
  readonly sha256: string;
  readonly headSha?: string | undefined;
}

/** One thing a validator or reviewer found. `path` is a JSON Pointer into the artifact, '' for the whole. */
export interface Finding {
  readonly validator: string;
  readonly path: string;
  readonly message: string;
}

/** Why a work stands at OWNER_GATE: one named action, raised from one status. */
export interface Gate {
  readonly action: string;
  readonly from: Status;
  readonly reason: string;
}

/** An owner's approval: fits one action on one artifact hash, once (I7). */
export interface Approval {
  readonly action: string;
  readonly artifactSha256: string | null;
  readonly by: Party;
}

/**
 * Where a work stands. The only thing the checkpoint holds of it: hashes, never bytes, and only the
 * last of everything, because state that keeps every result grows with the square of the rounds.
 */
export interface Position {
  readonly tenant: string;
  readonly workId: string;
  readonly kind: string;
  readonly status: Status;
  /** 1 for the first attempt; every REWORK adds one. */
  readonly round: number;
  /** Counts the steps of this thread; with the thread it names the wait inside the graph. */
  readonly step: number;
  readonly inputVersion: number;
  readonly inputSha256: string;
  readonly artifact: ArtifactRef | null;
  /** Who made the artifact; may not judge it (I9). */
  readonly author: Party | null;
  readonly holder: Party | null;
  readonly findings: readonly Finding[];
  readonly gate: Gate | null;
  readonly approval: Approval | null;
  /** Where BLOCKED, HOLD and OUTCOME_UNKNOWN go back to. */
  readonly returnTo: Status | null;
}

/** The name of the wait inside the graph: derived, so nobody has to store it and none can be forged to fit two waits. */
export function waitIdOf(position: Pick<Position, 'tenant' | 'workId' | 'step'>): string {
  return `${position.tenant}/${position.workId}#${position.step}`;
}
