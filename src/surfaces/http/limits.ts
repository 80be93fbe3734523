import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';

interface Bucket {
  tokens: number;
  filled_ms: number;
  running: number;
}

/** How much one caller may ask at a time and per second, so that a loop gone wild does not starve the others. */
export interface Allowance {
  readonly perSecond: number;
  readonly burst: number;
  readonly concurrent: number;
}

export const DEFAULT_ALLOWANCE: Allowance = {
  perSecond: LIMITS.requests_perSecond,
  burst: LIMITS.requestBurst,
  concurrent: LIMITS.concurrentRequests,
};

/** A token bucket and a count of running requests for each caller; kept in this process only. */
export class RequestLimits {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly allowance: Allowance,
    private readonly now_ms: () => number,
  ) {}

  /**
   * Lets one request of this caller in.
   * @returns what is to be called when it is done; calling it twice counts once
   * @throws Refusal RATE_LIMITED with when to come back
   */
  enter(caller: string): () => void {
    const bucket = this.filled(caller);
    if (bucket.running >= this.allowance.concurrent) {
      throw new Refusal('RATE_LIMITED', `more than ${this.allowance.concurrent} requests at a time`, {
        retryAfter_ms: 1000,
      });
    }
    if (bucket.tokens < 1) {
      throw new Refusal('RATE_LIMITED', `more than ${this.allowance.perSecond} requests per second`, {
        retryAfter_ms: ((1 - bucket.tokens) / this.allowance.perSecond) * 1000,
      });
    }
    bucket.tokens -= 1;
    bucket.running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      bucket.running -= 1;
    };
  }

  private filled(caller: string): Bucket {
    const now_ms = this.now_ms();
    const bucket = this.buckets.get(caller) ?? this.newBucket(caller, now_ms);
    const gained = (Math.max(0, now_ms - bucket.filled_ms) / 1000) * this.allowance.perSecond;
    bucket.tokens = Math.min(this.allowance.burst, bucket.tokens + gained);
    bucket.filled_ms = now_ms;
    return bucket;
  }

  private newBucket(caller: string, now_ms: number): Bucket {
    if (this.buckets.size >= LIMITS.limitedCallers) this.forgetIdle();
    const bucket = { tokens: this.allowance.burst, filled_ms: now_ms, running: 0 };
    this.buckets.set(caller, bucket);
    return bucket;
  }

  /** Whoever has nothing running starts full again sooner or later; dropping them bounds the memory. */
  private forgetIdle(): void {
    for (const [caller, bucket] of this.buckets) if (bucket.running === 0) this.buckets.delete(caller);
  }
}
