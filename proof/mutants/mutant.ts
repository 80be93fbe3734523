/** One mistake, made in a copy of the source: the tests must notice it. */
export interface Mutant {
  /** What is lost by it. */
  readonly name: string;
  readonly file: string;
  /** Text that occurs once in the file, and what is put in its place. */
  readonly find: string;
  readonly put: string;
  /** The tests that ought to notice; when they do not, all quick ones are asked. */
  readonly tests: readonly string[];
  readonly backEnd?: 'postgres';
}

export const CORE = 'test/core';
export const MODEL = 'test/proof/desk-model.test.ts';
export const EXPLORE = 'test/proof/explore.test.ts';
export const REFUSALS = 'test/desk/refusals.test.ts';
export const LIFE = 'test/desk/lifecycle.test.ts';
export const SCHEMA = 'test/desk/schema.test.ts';
export const FENCE = 'test/conformance/fence.test.ts';
export const VERIFY = 'test/desk/verify.test.ts';
export const PAST = 'test/desk/past-the-desk.test.ts';
export const EXPIRY = 'test/life/expiry.test.ts';
export const HANDS = 'test/life/hands.test.ts';
export const OUTSIDE = 'test/life/outside.test.ts';
export const ARTIFACTS = 'test/desk/artifacts.test.ts';
export const STORE = 'test/desk/sqlite-store.test.ts';
export const PROCESSES = 'test/conformance/processes.test.ts';
export const KILLS = 'test/desk/kills.test.ts';
