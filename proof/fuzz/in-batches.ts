import fc from 'fast-check';
import { fuzzDesk, type FuzzDesk } from './fuzz-desk.js';

export interface FuzzOptions {
  /** Inputs tried. */
  readonly runs: number;
  readonly seed: number;
  /** Where fast-check found the failure that is to be seen again, as it printed it. */
  readonly path?: string;
}

/** Inputs that one desk takes before it is proved and a fresh one is furnished. */
const BATCH = 400;

/**
 * Tries inputs on real desks, a fresh one now and then; after each batch the desk must verify and still work.
 * @throws Error with the seed, the path and the smallest input that fails
 */
export async function inBatches<T>(
  { runs, seed, path }: FuzzOptions,
  inputs: fc.Arbitrary<T>,
  check: (desk: FuzzDesk, input: T) => Promise<void>,
): Promise<void> {
  for (let done = 0, batch = 0; done < runs; done += BATCH, batch += 1) {
    const desk = await fuzzDesk();
    try {
      const property = fc.asyncProperty(inputs, (input) => check(desk, input));
      const numRuns = Math.min(BATCH, runs - done);
      const parameters = {
        includeErrorInReport: true,
        numRuns,
        seed: seed + batch,
        interruptAfterTimeLimit: 15 * 60_000,
      };
      await fc.assert(
        property,
        path === undefined ? parameters : { ...parameters, path, endOnFailure: true },
      );
      await desk.prove();
    } finally {
      await desk.close();
    }
  }
}
