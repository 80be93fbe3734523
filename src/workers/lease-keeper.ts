import type { DoorLike } from '../client.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { isPassing, pause } from './patience.js';
import type { Claim, Progress } from './task.js';

/** Renews one lease while its work is done: with progress when there is some, as a heartbeat otherwise. */
export class LeaseKeeper {
  private readonly stopped = new AbortController();
  private wake = new AbortController();
  private latest: Progress | null = null;
  private running: Promise<void> | null = null;
  private readonly lease_ms: number;
  /** When the lease ends if nothing is renewed, by this machine's clock. */
  private expires_ms: number;

  /** @param lost called once, when the work is no longer this holder's to do */
  constructor(
    private readonly door: Pick<DoorLike, 'renew'>,
    private readonly claim: Claim,
    private readonly lost: (why: Refusal | Error) => void,
  ) {
    // Lengths between the server's own times, so that a clock that differs from ours plays no part.
    const { claimedAt, expiresAt } = claim.lease ?? { claimedAt: '', expiresAt: '' };
    this.lease_ms = Math.max(0, Date.parse(expiresAt ?? '') - Date.parse(claimedAt)) || LIMITS.taskRenewal_ms;
    this.expires_ms = Date.now() + this.lease_ms;
  }

  /** When the lease ends unless it is renewed, in ms since the epoch. */
  get until_ms(): number {
    return this.expires_ms;
  }

  start(): void {
    this.running ??= this.keep();
  }

  progress(progress: Progress): void {
    this.latest = progress;
    this.wake.abort();
  }

  /** Ends the renewals; what was said last is sent first, so that a handoff knows it. */
  async stop(): Promise<void> {
    this.stopped.abort();
    this.wake.abort();
    await this.running;
  }

  private async keep(): Promise<void> {
    const usual_ms = Math.min(LIMITS.taskRenewal_ms, Math.max(LIMITS.taskRenewalMin_ms, this.lease_ms / 3));
    for (;;) {
      if (this.latest === null && !this.stopped.signal.aborted) await pause(usual_ms, this.wake.signal);
      const progress = this.latest;
      this.latest = null;
      this.wake = new AbortController();
      if (this.stopped.signal.aborted && progress === null) return;
      if (!(await this.renew(progress))) return;
      // However fast a task talks, the desk hears of it only so often.
      await pause(LIMITS.taskRenewalMin_ms, this.stopped.signal);
    }
  }

  /** False when the work is lost. */
  private async renew(progress: Progress | null): Promise<boolean> {
    const { workId, interruptId } = this.claim;
    const asked_ms = Date.now();
    try {
      await this.door.renew(workId, { interruptId, ...(progress === null ? {} : { progress }) });
      this.expires_ms = asked_ms + this.lease_ms;
      return true;
    } catch (error) {
      const refused = error instanceof Refusal && !isPassing(error);
      if (!refused && Date.now() < this.expires_ms) return true;
      this.lost(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }
}
