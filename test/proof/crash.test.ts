import { describe, expect, it } from 'vitest';
import { lifeKilledAt, unlike } from '../../proof/crash/run-life.js';

const backEnd = process.env['SIGNALBOX_TEST_BACK_END'] === 'postgres' ? 'postgres' : 'sqlite';
/** Of several hundred; `npm run crash` takes every one. */
const KILLS = backEnd === 'postgres' ? 3 : 6;
const LANES = 2;

describe(`a whole life on ${backEnd}, from registration through every stage to a case that its origin is told of`, () => {
  it(`killed at ${KILLS} of its durable steps is finished by the next process, with everything that was acknowledged there once`, async () => {
    const { finished: whole } = await lifeKilledAt(0, backEnd);
    expect(whole).toMatchObject({
      status: 'DONE',
      caseStatus: 'DONE',
      effects: 1,
      faults: [],
      hasOwnerToken: true,
    });
    const every = Math.floor(whole.steps.length / (KILLS + 1));
    const steps = Array.from({ length: KILLS }, (_, index) => (index + 1) * every);
    const broken: string[] = [];
    let acknowledged = 0;
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
          const cut = await lifeKilledAt(step, backEnd);
          acknowledged += cut.acknowledged;
          const harm = unlike(whole, cut.finished);
          if (harm) broken.push(`killed at step ${step}, ${whole.steps[step - 1] ?? ''}: ${harm}`);
        }
      }),
    );
    expect(broken).toEqual([]);
    expect(acknowledged).toBeGreaterThan(KILLS);
  }, 240_000);
});
