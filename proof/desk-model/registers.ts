import { Happening, assertTold, refused } from './happening.js';
import { accepted, applied } from './move.js';
import type { RealDesk } from './real.js';
import { refusalOf } from './refusal.js';
import {
  hasEnded,
  isOne,
  newWork,
  type Call,
  type DeskModel,
  type ModelWork,
  type WorkName,
} from './state.js';

/** A work arrives: for the first time, again, with other content, or corrected. */
export class Registers extends Happening {
  constructor(
    readonly work: WorkName,
    readonly who: string,
    readonly content: number,
    readonly corrects: boolean,
  ) {
    super();
  }
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    const known = model.works[this.work];
    // A correction after the end is new work, which this model does not follow.
    if (known && hasEnded(known) && known.content !== this.content && this.corrects) return;
    const code = this.expectedOf(model, known);
    const outcome = await real.send(this.who, 'register', [this.body()]);
    assertTold(outcome, code, this.toString());
  }
  /** Says what the desk is to answer, and brings the model there. */
  private expectedOf(model: DeskModel, known: ModelWork | undefined): string | null {
    if (!isOne(this.who, 'worker') && !isOne(this.who, 'operator') && !isOne(this.who, 'owner'))
      return 'FORBIDDEN';
    if (!known) {
      model.works[this.work] = { ...newWork(), content: this.content };
      return null;
    }
    if (known.content === this.content) return null;
    if (!this.corrects) return 'CONTENT_CHANGED';
    // A correction that meets an answer waits until that is applied.
    const met = known.pending ? applied(refused(known, this.call(), ''), model.now_ms) : known;
    const code = refusalOf(model, this.call(), met);
    model.works[this.work] =
      code === null
        ? applied(accepted(met, this.call(), model.now_ms), model.now_ms)
        : refused(met, this.call(), code);
    return code;
  }
  private body() {
    return {
      kind: 'payment',
      workId: this.work,
      input: { content: this.content },
      ...(this.work === 'second' ? { blockedBy: ['first'] } : {}),
      ...(this.corrects ? { correction: { reason: 'it was wrong' } } : {}),
    };
  }
  private call(): Call {
    return {
      who: this.who,
      work: this.work,
      action: 'correct',
      wait: null,
      version: null,
      artifact: null,
      isGood: true,
      isStored: true,
      choice: String(this.content),
      gateAction: '',
      to: null,
      adopts: null,
      lacks: false,
    };
  }
  override toString(): string {
    return `${this.who} registers ${this.work} with content ${this.content}${this.corrects ? ' as a correction' : ''}`;
  }
}
