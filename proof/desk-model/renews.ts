import { Happening, assertTold } from './happening.js';
import type { RealDesk } from './real.js';
import { POLICY, isOne, isOver, type DeskModel, type ModelWork, type WorkName } from './state.js';

/** A holder asks for more time; so may somebody who holds nothing. */
export class Renews extends Happening {
  constructor(
    readonly work: WorkName,
    readonly named: string | null,
    readonly back: number,
    readonly progress: number | null,
  ) {
    super();
  }
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    const work = model.works[this.work];
    if (!work) return;
    const who = this.named ?? work.lease?.holder ?? 'ann';
    const wait = work.wait - this.back;
    const code = this.refusal(model, work, who, wait);
    const outcome = await real.send(who, 'renew', [
      this.work,
      {
        interruptId: real.interruptId(this.work, wait),
        ...(this.progress === null ? {} : { progress: { done: this.progress } }),
      },
    ]);
    assertTold(outcome, code, `${who} renews ${this.work}, wait ${wait}`);
    const { lease } = work;
    if (code !== null || !lease) return;
    const moved = this.moved(work);
    const until_ms = Math.min(model.now_ms + POLICY.lease_ms, lease.limitAt_ms);
    model.works[this.work] = {
      ...work,
      lease: {
        ...lease,
        state: moved && lease.state === 'reserved' ? 'working' : lease.state,
        expiresAt_ms: lease.expiresAt_ms === null ? null : Math.max(lease.expiresAt_ms, until_ms),
        ...(moved ? { progress: this.progress, progressAt_ms: model.now_ms } : {}),
      },
    };
  }
  private moved(work: ModelWork): boolean {
    return this.progress !== null && this.progress !== work.lease?.progress;
  }
  private refusal(model: DeskModel, work: ModelWork, who: string, wait: number): string | null {
    if (!['worker', 'reviewer', 'owner'].some((role) => isOne(who, role))) return 'FORBIDDEN';
    const { lease } = work;
    if (lease?.holder !== who) return 'NOT_HOLDER';
    if (wait !== work.wait) {
      const since = work.correctedAt_ms !== null && work.correctedAt_ms >= lease.claimedAt_ms;
      return since ? 'INPUT_CHANGED' : 'STALE_INTERRUPT';
    }
    if (work.pending) return 'ALREADY_DECIDED';
    const over = isOver(lease, model.now_ms) || lease.limitAt_ms <= model.now_ms;
    if (lease.expiresAt_ms !== null && over) return 'LEASE_EXPIRED';
    const quiet_ms = model.now_ms - (lease.progressAt_ms ?? lease.claimedAt_ms);
    return !this.moved(work) && quiet_ms > POLICY.noProgress_ms ? 'NO_PROGRESS' : null;
  }
  override toString(): string {
    return `${this.named ?? 'the holder'} renews ${this.work} (${this.back} waits ago, progress ${this.progress ?? 'none'})`;
  }
}
