import { Happening, assertTold } from './happening.js';
import { applied } from './move.js';
import type { RealDesk } from './real.js';
import { MINUTE_ms, WORKS, type DeskModel, type ModelWork } from './state.js';

/** The clock goes on, and perhaps the desk looks for holders that fell silent. */
export class TimePasses extends Happening {
  constructor(
    readonly minutes: number,
    readonly looks: boolean,
  ) {
    super();
  }
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    model.now_ms += this.minutes * MINUTE_ms;
    real.now_ms = model.now_ms;
    if (!this.looks) return;
    await real.look();
    for (const name of WORKS) {
      const work = model.works[name];
      if (work) model.works[name] = this.lookedAt(work, model.now_ms);
    }
  }
  /** An expiry is noted and moves nothing; a judgement that nobody gave is free again. */
  private lookedAt(work: ModelWork, now_ms: number): ModelWork {
    const { lease } = work;
    if (!lease || work.pending || lease.expiresAt_ms === null || lease.expiresAt_ms > now_ms) return work;
    if (work.status !== 'IN_PROGRESS') return { ...work, lease: null };
    return { ...work, lease: { ...lease, state: 'unknown' } };
  }
  override toString(): string {
    return `${this.minutes} minutes pass${this.looks ? ', the desk looks for silent holders' : ''}`;
  }
}

/** After this long whoever applied an answer counts as gone. */
const APPLIER_ms = 20_000;

/** The desk is closed and opened again; what was accepted and not applied is there, and recovery finishes it. */
export class Restarts extends Happening {
  constructor(readonly recovers: boolean) {
    super();
  }
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    if (this.recovers) {
      // The process is the same, so the desk before it must be silent for as long as a living one may be.
      model.now_ms += APPLIER_ms;
      real.now_ms = model.now_ms;
    }
    await real.restart(this.recovers);
    if (!this.recovers) return;
    for (const name of WORKS) {
      const work = model.works[name];
      if (work) model.works[name] = applied(work, model.now_ms);
    }
  }
  override toString(): string {
    return `the desk restarts${this.recovers ? ' and recovers' : ''}`;
  }
}

/** The same request, word for word: the same receipt, and nothing twice. */
export class SendsAgain extends Happening {
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    if (!(await real.sendAgain())) throw new Error('the same call again did not get the same receipt');
    const work = model.last && model.works[model.last];
    if (model.last && work) model.works[model.last] = applied(work, model.now_ms);
  }
  override toString(): string {
    return 'the last accepted call is sent again';
  }
}

/** Another request under a key that was used. */
export class ReusesKey extends Happening {
  async does(_model: DeskModel, real: RealDesk): Promise<void> {
    assertTold(await real.reuseKey(), 'IDEMPOTENCY_KEY_REUSED', this.toString());
  }
  override toString(): string {
    return 'its key is used for something else';
  }
}
