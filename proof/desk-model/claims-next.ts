import { Happening, assertTold } from './happening.js';
import { accepted, applied } from './move.js';
import type { RealDesk } from './real.js';
import { hasEnded, isOne, type Call, type DeskModel, type ModelWork } from './state.js';

/** Somebody takes whatever comes next. */
export class ClaimsNext extends Happening {
  constructor(readonly who: string) {
    super();
  }
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    const outcome = await real.send(this.who, 'claimNext', [{}]);
    if (!isOne(this.who, 'worker') && !isOne(this.who, 'owner'))
      return assertTold(outcome, 'FORBIDDEN', this.toString());
    const { first, second } = model.works;
    const isFree = (work: ModelWork | undefined): boolean =>
      work !== undefined && !work.pending && (work.status === 'READY' || work.status === 'REWORK');
    const next = isFree(first)
      ? 'first'
      : isFree(second) && first && hasEnded(first)
        ? ('second' as const)
        : null;
    assertTold(outcome, null, this.toString());
    const given = ('value' in outcome ? outcome.value : null) as { claim: { workId: string } } | null;
    if ((given?.claim.workId ?? null) !== next)
      throw new Error(`${this.toString()}: the model says ${next}, the desk ${given?.claim.workId ?? null}`);
    const work = next && model.works[next];
    if (!work) return;
    const call = { action: 'claim', who: this.who, work: next } as Call;
    model.works[next] = applied(accepted(work, call, model.now_ms), model.now_ms);
  }
  override toString(): string {
    return `${this.who} claims the next`;
  }
}
