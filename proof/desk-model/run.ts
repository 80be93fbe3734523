import fc from 'fast-check';
import { assertRecords, assertSame } from './compare.js';
import { HAPPENINGS, OPENING } from './commands.js';
import { EPOCH_ms, RealDesk } from './real.js';
import type { DeskModel } from './state.js';

export interface ModelRun {
  readonly backEnd: string;
  readonly runs: number;
  readonly seed: number;
  /** The counterexample's path and command list, as a failing run prints them. */
  readonly path?: string | undefined;
  readonly replayPath?: string | undefined;
}

export interface ModelFigures {
  runs: number;
  happenings: number;
  /** How often each action was taken, and each code given. */
  readonly seen: Record<string, number>;
}

/**
 * Random lives of two works at the real desk, each step beside the model.
 * @throws Error with the shortest failing list of happenings, the seed and the path that replays it
 */
export async function runModel(run: ModelRun): Promise<ModelFigures> {
  const figures: ModelFigures = { runs: 0, happenings: 0, seen: {} };
  let failed: readonly string[] = [];
  const lists = fc.commands(HAPPENINGS, {
    maxCommands: 120,
    size: 'max',
    ...(run.replayPath === undefined ? {} : { replayPath: run.replayPath }),
  });
  const property = fc.asyncProperty(lists, async (list) => {
    const real = await RealDesk.open(run.backEnd);
    const model: DeskModel = { now_ms: EPOCH_ms, works: {}, made: 0, last: null };
    try {
      for (const happening of OPENING) await happening.run(model, real);
      await fc.asyncModelRun(() => ({ model, real }), list);
      await assertSame(model, real);
      await assertRecords(model, real);
      figures.runs += 1;
      figures.happenings += real.log.length;
      for (const [what, count] of Object.entries(real.seen))
        figures.seen[what] = (figures.seen[what] ?? 0) + count;
    } catch (error) {
      failed = real.log;
      throw error;
    } finally {
      await real.desk.close();
    }
  });
  const outcome = await fc.check(property, {
    numRuns: run.runs,
    seed: run.seed,
    ...(run.path === undefined ? {} : { path: run.path, endOnFailure: false }),
  });
  if (outcome.failed) throw new Error(told(run, outcome, failed));
  return figures;
}

interface Failure {
  readonly seed: number;
  readonly counterexample: readonly [{ toString(): string }] | null;
  readonly counterexamplePath: string | null;
  readonly errorInstance: unknown;
}

/** The last failing run is the shortest one that was found. */
function told(run: ModelRun, outcome: Failure, log: readonly string[]): string {
  const list = outcome.counterexample?.[0];
  const replay = /replayPath="([^"]*)"/.exec(list?.toString() ?? '')?.[1];
  return [
    `The desk and the model differ (back end ${run.backEnd}):`,
    ...log.map((line) => `  ${line}`),
    outcome.errorInstance instanceof Error
      ? (outcome.errorInstance.stack ?? '')
      : String(outcome.errorInstance),
    `Again: SIGNALBOX_TEST_SEED=${outcome.seed} SIGNALBOX_TEST_PATH='${outcome.counterexamplePath ?? ''}' SIGNALBOX_TEST_REPLAY='${replay ?? ''}'`,
  ].join('\n');
}
