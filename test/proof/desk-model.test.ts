import { describe, expect, it } from 'vitest';
import { runModel } from '../../proof/desk-model/run.js';

const { env } = process;
const backEnd = env['SIGNALBOX_TEST_BACK_END'] ?? 'sqlite';
/** Always the same lists in a test; `npm run model` asks for more, and for others. */
const RUNS = Number(env['SIGNALBOX_TEST_RUNS'] ?? 10);
const SEED = Number(env['SIGNALBOX_TEST_SEED'] ?? 20_260_302);
/** How long one run may take on a busy machine, in ms; a failing one is shrunk, which is many runs. */
const RUN_ms = 20_000;

describe(`a model of the desk beside the real one on ${backEnd}`, () => {
  it(
    'says for every answer whether it is taken, with which code it is refused, and where the work stands then',
    async () => {
      const figures = await runModel({
        backEnd,
        runs: RUNS,
        seed: SEED,
        path: env['SIGNALBOX_TEST_PATH'],
        replayPath: env['SIGNALBOX_TEST_REPLAY'],
      });
      console.log(`${figures.runs} lives, ${figures.happenings} happenings, seed ${SEED}`);
      if (env['SIGNALBOX_TEST_RUNS']) console.log(figures.seen);
      // Lives in which nothing is accepted would prove little.
      expect(figures.seen).toMatchObject({ claim: expect.any(Number), result: expect.any(Number) });
    },
    RUNS * RUN_ms,
  );
});
