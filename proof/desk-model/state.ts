/**
 * What the desk is expected to be, written from the contract and not from the code: it shares nothing with the guard,
 * the table of transitions or the state machine. One mistake would have to be made twice to go unseen.
 */

export const WORKS = ['first', 'second'] as const;
/** `second` is blocked by `first`. */
export type WorkName = (typeof WORKS)[number];

export const MINUTE_ms = 60_000;
/** The policy of the kind that these works have. */
export const POLICY = {
  lease_ms: 10 * MINUTE_ms,
  leaseLimit_ms: 30 * MINUTE_ms,
  noProgress_ms: 15 * MINUTE_ms,
  reviewLease_ms: 20 * MINUTE_ms,
  roundLimit: 2,
  lossLimit: 2,
} as const;

export interface Lease {
  readonly holder: string;
  readonly judges: boolean;
  readonly state: 'reserved' | 'working' | 'result_received' | 'unknown';
  readonly claimedAt_ms: number;
  /** Null while its clock stands still. */
  readonly expiresAt_ms: number | null;
  readonly limitAt_ms: number;
  readonly remaining_ms: number | null;
  readonly progress: number | null;
  readonly progressAt_ms: number | null;
}

export interface Gate {
  readonly action: string;
  readonly from: string;
}

export interface ModelWork {
  readonly status: string;
  readonly round: number;
  readonly version: number;
  readonly content: number;
  /** When the input was last corrected. */
  readonly correctedAt_ms: number | null;
  /** Counts waits from 0; answers name one of them. */
  readonly wait: number;
  readonly answered: Readonly<Record<number, string>>;
  readonly lastAnswered: number | null;
  readonly artifact: string | null;
  readonly author: string | null;
  /** Actors who had a hand in the artifact. */
  readonly makers: readonly string[];
  /** Who works on it; the lease may also be somebody's who only judges. */
  readonly holder: string | null;
  readonly lease: Lease | null;
  readonly gate: Gate | null;
  readonly approval: { readonly action: string; readonly artifact: string | null } | null;
  readonly returnTo: string | null;
  readonly handoffs: number;
  /** Accepted and not applied, as after a crash between the two. */
  readonly pending: Call | null;
  /** Receipts by outcome. */
  readonly receipts: { readonly accepted: number; readonly refused: number; readonly reference: number };
  /** Results that were turned away and kept, oldest first. */
  readonly late: readonly {
    readonly by: string;
    readonly version: number;
    readonly artifact: string;
    readonly isGood: boolean;
  }[];
}

export interface DeskModel {
  now_ms: number;
  works: Partial<Record<WorkName, ModelWork>>;
  /** Artifacts made so far, so that each is another. */
  made: number;
  /** The work of the last accepted call, which may be sent again. */
  last: WorkName | null;
}

export interface Call {
  readonly who: string;
  readonly work: WorkName;
  readonly action: string;
  /** The wait it names; null when it names none, 'unheard' when one that never was. */
  readonly wait: number | 'unheard' | null;
  /** The input version it names. */
  readonly version: number | null;
  readonly artifact: string | null;
  /** Whether the artifact meets the kind's schema. */
  readonly isGood: boolean;
  readonly isStored: boolean;
  /** verdict, decision, outcome or finding, whichever the action has. */
  readonly choice: string;
  readonly gateAction: string;
  readonly to: string | null;
  /** Index in `late` of the result that an investigation adopts. */
  readonly adopts: number | null;
  /** Without one of its required fields. */
  readonly lacks: boolean;
}

/** Who is who: the people of the tests' desk. `ann-reviews` is ann by another name. */
export const PEOPLE: Readonly<Record<string, { readonly actor: string; readonly roles: readonly string[] }>> =
  {
    ann: { actor: 'ann', roles: ['worker'] },
    bob: { actor: 'bob', roles: ['worker'] },
    'ann-reviews': { actor: 'ann', roles: ['reviewer'] },
    rita: { actor: 'rita', roles: ['reviewer'] },
    otto: { actor: 'otto', roles: ['operator'] },
    vic: { actor: 'vic', roles: ['viewer'] },
    owner: { actor: 'owner', roles: ['owner'] },
  };

export const actorOf = (name: string): string => PEOPLE[name]?.actor ?? name;
export const isOne = (name: string, role: string): boolean => PEOPLE[name]?.roles.includes(role) ?? false;

export const hasEnded = (work: ModelWork): boolean => work.status === 'DONE' || work.status === 'CANCELLED';

/** Whether a reservation counts no more at this moment. */
export function isOver(lease: Lease, now_ms: number): boolean {
  return lease.state === 'unknown' || (lease.expiresAt_ms !== null && lease.expiresAt_ms <= now_ms);
}

export function newWork(): ModelWork {
  return {
    status: 'DISCOVERED',
    round: 1,
    version: 1,
    content: 0,
    correctedAt_ms: null,
    wait: 0,
    answered: {},
    lastAnswered: null,
    artifact: null,
    author: null,
    makers: [],
    holder: null,
    lease: null,
    gate: null,
    approval: null,
    returnTo: null,
    handoffs: 0,
    pending: null,
    receipts: { accepted: 1, refused: 0, reference: 0 },
    late: [],
  };
}
