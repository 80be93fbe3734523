import type { Context } from 'hono';
import { sha256 } from '../../core/identity.js';
import type { Desk } from '../../operations/desk.js';
import { authenticate } from '../../operations/tokens.js';
import { callerOf } from './caller.js';
import { DEFAULT_FAILURES, FailedAttempts, type FailureAllowance } from './failed-attempts.js';
import { DEFAULT_ALLOWANCE, RequestLimits, type Allowance } from './limits.js';
import type { Who } from './route.js';

/** A caller who was let in; `leave` is to be called when its request is done, once or more. */
export interface LetIn {
  readonly who: Who;
  readonly leave: () => void;
}

/** Where every door of one server lets callers in, so that what one caller may ask is counted once over all of them. */
export class Entrance {
  private readonly requests: RequestLimits;
  private readonly failures: FailedAttempts;

  constructor(
    private readonly desk: Desk,
    allowance: Allowance = DEFAULT_ALLOWANCE,
    failures: FailureAllowance = DEFAULT_FAILURES,
  ) {
    this.requests = new RequestLimits(allowance, Date.now);
    this.failures = new FailedAttempts(failures, Date.now);
  }

  /** @throws Refusal UNAUTHENTICATED, RATE_LIMITED, INVALID for acting on behalf without a reason */
  async letIn(c: Context, token: string): Promise<LetIn> {
    const who = await this.attempt(c, token, () => callerOf(this.desk, c.req.raw.headers, token));
    return { who, leave: this.requests.enter(sha256(token)) };
  }

  /** Only that the token is a valid one. @throws Refusal UNAUTHENTICATED, RATE_LIMITED */
  async requireToken(c: Context, token: string): Promise<void> {
    await this.attempt(c, token, () => authenticate(this.desk, token));
  }

  /** Any other way to show a secret: a sign-in code, a session. @throws Refusal RATE_LIMITED, and what `look` throws */
  attempt<T>(c: Context, secret: string, look: () => Promise<T>): Promise<T> {
    return this.failures.attempt(addressOf(c), sha256(secret), look);
  }
}

/** The entrance of the server that a request came to; a surface that stands alone, as in a test, has one of its own. */
export function entranceOf(c: Context, desk: Desk): Entrance {
  const { entrance: shared } = c.var as { readonly entrance?: Entrance };
  if (shared) return shared;
  const own = ALONE.get(desk) ?? new Entrance(desk);
  ALONE.set(desk, own);
  return own;
}

const ALONE = new WeakMap<Desk, Entrance>();

/**
 * The other end of the connection. `X-Forwarded-For` is not believed: anybody can send it. Addresses of IPv6 count
 * by their network, of which one machine has all.
 */
function addressOf(c: Context): string {
  const { incoming } = (c.env ?? {}) as {
    incoming?: { socket?: { remoteAddress?: string | undefined } };
  };
  const address = incoming?.socket?.remoteAddress ?? '';
  return address.includes(':') && !address.startsWith('::ffff:')
    ? address.split(':').slice(0, 4).join(':')
    : address;
}
