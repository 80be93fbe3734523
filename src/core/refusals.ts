/** The closed union of reasons to turn something away: each with its HTTP status, title, and what to do next. */
interface RefusalKind {
  readonly status: number;
  readonly title: string;
  readonly next: string;
}

export const REFUSALS = {
  UNAUTHENTICATED: {
    status: 401,
    title: 'Not signed in',
    next: 'Send a valid token as `Authorization: Bearer …`.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'Not allowed',
    next: 'Ask an owner for the role this operation needs.',
  },
  NOT_FOUND: { status: 404, title: 'Not found', next: 'Check the ID; list what you may see.' },
  STALE_INTERRUPT: {
    status: 409,
    title: 'This wait is no longer the current one',
    next: 'Read the work again. If it is still yours to answer, answer the current interruptId.',
  },
  ALREADY_DECIDED: {
    status: 409,
    title: 'This wait already has its answer',
    next: 'Nothing to do: another submission was accepted. Read its receipt.',
  },
  ALREADY_CLAIMED: {
    status: 409,
    title: 'Somebody else holds this work',
    next: 'Leave it to its holder and claim another.',
  },
  INPUT_CHANGED: {
    status: 409,
    title: 'This is not the current input version',
    next: 'Read the current input version and what changed, then work on that.',
  },
  ARTIFACT_MISMATCH: {
    status: 409,
    title: 'This is not the artifact the checkpoint holds',
    next: 'Read the artifact that the work names now, and judge that one.',
  },
  ARTIFACT_UNKNOWN: {
    status: 422,
    title: 'No such artifact is stored',
    next: 'Store the bytes with PUT /v1/artifacts first, then submit their sha256.',
  },
  NOT_HOLDER: {
    status: 409,
    title: 'You do not hold this work',
    next: 'Claim it first; only its holder may answer.',
  },
  LEASE_EXPIRED: {
    status: 409,
    title: 'Your reservation has run out',
    next: 'What you brought is kept as reference. Wait for the investigation, or ask its operator.',
  },
  NO_PROGRESS: {
    status: 409,
    title: 'No further extension without progress',
    next: 'Report progress with the renewal, save a partial, or release the work.',
  },
  ACTION_NOT_ALLOWED: {
    status: 409,
    title: 'This action does not exist in this status',
    next: 'See `current.status` and what it waits for.',
  },
  SELF_APPROVAL: {
    status: 403,
    title: 'Nobody judges their own work',
    next: 'Have somebody of another actor review or decide.',
  },
  OWNER_ONLY: { status: 403, title: 'Only an owner may decide this', next: 'Ask an owner to decide.' },
  CONTENT_CHANGED: {
    status: 409,
    title: 'The same work arrived with other content',
    next: 'Send it again with `correction: {reason}` if it is a correction.',
  },
  WORK_ID_CONFLICT: {
    status: 409,
    title: 'This workId belongs to other work',
    next: 'Leave workId out, or choose one that is free.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'This idempotency key was used for something else',
    next: 'Use a new key for a new submission.',
  },
  BLOCKED_BY: {
    status: 409,
    title: 'Other work must be done first',
    next: 'Finish the works named in `blockedBy`, or claim another.',
  },
  INVALID: { status: 422, title: 'The request is not valid', next: 'Correct the fields named in `errors`.' },
  TOO_LARGE: { status: 413, title: 'Too large', next: 'Send less; the limit is named in the detail.' },
  RATE_LIMITED: { status: 429, title: 'Too many requests', next: 'Wait as long as Retry-After says.' },
  BUSY: {
    status: 503,
    title: 'Busy',
    next: 'Try the same request again shortly, with the same idempotency key.',
  },
} as const satisfies Record<string, RefusalKind>;

export type RefusalCode = keyof typeof REFUSALS;

/** One field that is wrong; `path` is a JSON Pointer into the request. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** What a refusal says about the work as it is now. Times are RFC 3339 UTC. */
export interface Current {
  readonly status: string;
  readonly interruptId: string | null;
  readonly inputVersion: number;
  readonly inputSha256: string;
  readonly artifactSha256: string | null;
  readonly holder: string | null;
  readonly leaseExpiresAt: string | null;
}

export interface RefusalDetails {
  readonly current?: Current;
  readonly errors?: readonly FieldIssue[];
  readonly receiptId?: string;
  readonly holder?: string;
  readonly since?: string;
  readonly blockedBy?: readonly string[];
  readonly changes?: readonly unknown[];
  /** With INPUT_CHANGED: items done that the correction leaves as they are. */
  readonly kept?: readonly string[];
  readonly retryAfter_ms?: number;
  /** What to do next, where the code's own words would send the reader the wrong way. */
  readonly next?: string;
}

/** A refusal as it travels to a door. Thrown by operations after the refusal itself is on record. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: RefusalCode,
    readonly detail: string,
    readonly details: RefusalDetails = {},
  ) {
    super(`${code}: ${detail}`);
  }
  get status(): number {
    return REFUSALS[this.code].status;
  }
  get title(): string {
    return REFUSALS[this.code].title;
  }
  get next(): string {
    return this.details.next ?? REFUSALS[this.code].next;
  }
}

export function invalid(path: string, message: string): Refusal {
  return new Refusal('INVALID', `${path === '' ? 'the request' : path}: ${message}`, {
    errors: [{ path, message }],
  });
}
