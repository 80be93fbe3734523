import type fc from 'fast-check';
import { assertSame } from './compare.js';
import type { Outcome, RealDesk } from './real.js';
import { WORKS, type Call, type DeskModel, type ModelWork } from './state.js';

/** One thing that happens: the model says what it comes to, the real desk does it, and the two are compared. */
export abstract class Happening implements fc.AsyncCommand<DeskModel, RealDesk> {
  check(): boolean {
    return true;
  }
  abstract does(model: DeskModel, real: RealDesk): Promise<void>;
  async run(model: DeskModel, real: RealDesk): Promise<void> {
    real.log.push(this.toString());
    await this.does(model, real);
    await assertSame(model, real);
    for (const name of WORKS) {
      const work = model.works[name];
      if (work && !work.pending) await real.learn(name, work.wait);
    }
  }
  abstract toString(): string;
}

export function assertTold(outcome: Outcome, code: string | null, what: string): void {
  const told = 'code' in outcome ? outcome.code : null;
  if (told !== code)
    throw new Error(`${what}: the model says ${code ?? 'accepted'}, the desk ${told ?? 'accepted'}`);
}

/** The work after a refusal, which leaves a receipt and nothing else. */
export function refused(work: ModelWork, call: Call, code: string): ModelWork {
  const { receipts } = work;
  if (call.action !== 'result' || !call.isStored || code === 'FORBIDDEN')
    return { ...work, receipts: { ...receipts, refused: receipts.refused + 1 } };
  const kept = {
    by: call.who,
    version: call.version ?? work.version,
    artifact: call.artifact ?? '',
    isGood: call.isGood,
  };
  return {
    ...work,
    receipts: { ...receipts, reference: receipts.reference + 1 },
    late: [...work.late, kept],
  };
}
