import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';

/** How many wrong secrets one address may show over time, and at once after a pause. */
export interface FailureAllowance {
  readonly perSecond: number;
  readonly burst: number;
}

export const DEFAULT_FAILURES: FailureAllowance = {
  perSecond: LIMITS.failedAttempts_perSecond,
  burst: LIMITS.failedAttemptBurst,
};

interface Bucket {
  left: number;
  filled_ms: number;
}

/**
 * Bounds what somebody without a valid secret can make the desk look up. Secrets that were right a moment ago pass
 * in any case, so nobody is locked out by what others do behind the same address (docs/decisions/0080).
 */
export class FailedAttempts {
  private readonly buckets = new Map<string, Bucket>();
  /** Hashes of secrets that were right when they were last shown, the latest last. */
  private readonly right = new Set<string>();

  constructor(
    private readonly allowance: FailureAllowance,
    private readonly now_ms: () => number,
  ) {}

  /**
   * Tries a secret.
   * @param key the secret's hash
   * @param look finds out whether it is right
   * @throws Refusal RATE_LIMITED where this address has shown too many wrong ones; what `look` throws
   */
  async attempt<T>(address: string, key: string, look: () => Promise<T>): Promise<T> {
    if (!this.right.has(key)) this.requireLeft(address);
    try {
      const found = await look();
      this.remember(key);
      return found;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'UNAUTHENTICATED') {
        this.right.delete(key);
        this.filled(address).left -= 1;
      }
      throw error;
    }
  }

  private requireLeft(address: string): void {
    const { left } = this.filled(address);
    if (left >= 1) return;
    throw new Refusal('RATE_LIMITED', 'too many wrong tokens from this address', {
      retryAfter_ms: ((1 - left) / this.allowance.perSecond) * 1000,
    });
  }

  private filled(address: string): Bucket {
    const now_ms = this.now_ms();
    const bucket = this.buckets.get(address) ?? { left: this.allowance.burst, filled_ms: now_ms };
    const gained = (Math.max(0, now_ms - bucket.filled_ms) / 1000) * this.allowance.perSecond;
    bucket.left = Math.min(this.allowance.burst, bucket.left + gained);
    bucket.filled_ms = now_ms;
    this.buckets.delete(address);
    this.buckets.set(address, bucket);
    forgetOldest(this.buckets, LIMITS.limitedCallers);
    return bucket;
  }

  private remember(key: string): void {
    this.right.delete(key);
    this.right.add(key);
    forgetOldest(this.right, LIMITS.limitedCallers);
  }
}

function forgetOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
