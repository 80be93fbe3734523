import { Happening, assertTold, refused } from './happening.js';
import { artifactText, callFor, type Intent } from './intent.js';
import { accepted, applied } from './move.js';
import type { RealDesk } from './real.js';
import { refusalOf } from './refusal.js';
import type { DeskModel } from './state.js';

/** Somebody answers a wait: the current one as a rule, one long gone at times. */
export class Answers extends Happening {
  constructor(readonly intent: Intent) {
    super();
  }
  async does(model: DeskModel, real: RealDesk): Promise<void> {
    const { intent } = this;
    const work = model.works[intent.work];
    if (!work) return;
    const call = callFor(model, intent, work);
    const code = refusalOf(model, call, work);
    const said = `${call.who} sends ${call.action} ${call.choice} to wait ${call.wait ?? '(unnamed)'} of ${call.work}`;
    real.log.push(
      `  ${said}, which is ${work.status}: ${code ?? 'accepted'}${intent.crashes ? ', not applied' : ''}`,
    );
    const outcome = await real.call(call, artifactText(intent.result, model.made), intent.crashes);
    assertTold(outcome, code, said);
    const what = code ?? `${call.action}${call.choice === '' ? '' : ` ${call.choice}`}`;
    real.seen[what] = (real.seen[what] ?? 0) + 1;
    if (code === null) {
      model.last = intent.work;
      const after = accepted(work, call, model.now_ms);
      model.works[intent.work] = intent.crashes ? after : applied(after, model.now_ms);
      return;
    }
    model.works[intent.work] = refused(work, call, code);
    await real.learnLate(intent.work);
  }
  override toString(): string {
    return `an answer to ${this.intent.work}`;
  }
}
