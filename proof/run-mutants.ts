import { EDGE_MUTANTS } from './mutants/edge-mutants.js';
import { GUARD_MUTANTS } from './mutants/guard-mutants.js';
import type { Mutant } from './mutants/mutant.js';
import { RECORD_MUTANTS } from './mutants/record-mutants.js';
import { clearAway, copyTree, fits, logOf, mutated, verdictOf } from './mutants/tree.js';

/**
 * `npm run mutants [-- WORDS …]`: makes one mistake at a time in a copy of this tree and runs the tests that ought to
 * notice; those that live then meet all quick tests. With WORDS only the mutants whose name has one of them. Prints the
 * score, also when it is stopped, and exits 1 when one lives.
 */
const LANES = 2;
/** A test that a mutant keeps waiting is a test that notices it. */
const RUN_ms = 180_000;
/** How long all quick tests, or the tests of all mutants, may take. */
const ALL_ms = 1_200_000;
/** Asked when the tests that a mutant names do not notice. */
const QUICK = [
  'test/core',
  'test/desk',
  'test/life',
  'test/conformance/fence.test.ts',
  'test/conformance/prune.test.ts',
  'test/doors/refusals.test.ts',
  'test/basket',
  'test/proof/explore.test.ts',
  'test/proof/desk-model.test.ts',
];

type Fate = 'killed' | 'killed by its time' | 'killed by other tests' | 'SURVIVED' | 'STALE' | 'not tried';

const asked = process.argv.slice(2);
const mutants = [...GUARD_MUTANTS, ...RECORD_MUTANTS, ...EDGE_MUTANTS].filter(
  ({ name }) => asked.length === 0 || asked.some((words) => name.includes(words)),
);
const fates = new Map<Mutant, Fate>(mutants.map((mutant) => [mutant, 'not tried']));
const begun = performance.now();
const minutes = (): string => ((performance.now() - begun) / 60_000).toFixed(1);

/** @returns whether every mutant was tried and noticed */
function score(): boolean {
  const all = [...fates];
  const killed = all.filter(([, fate]) => fate.startsWith('killed')).length;
  console.log(`${killed} of ${all.length} mutants killed in ${minutes()} minutes`);
  for (const [mutant, fate] of all) if (!fate.startsWith('killed')) console.log(`  ${fate}: ${mutant.name}`);
  return killed === all.length;
}

/** Tests that fail anyway would kill every mutant. */
async function requirePass(
  tree: string,
  tests: readonly string[],
  backEnd: Mutant['backEnd'],
): Promise<void> {
  if (tests.length === 0 || (await verdictOf(tree, [...new Set(tests)], backEnd, ALL_ms)) === 'pass') return;
  throw new Error(`tests do not pass before anything is changed: ${logOf(tree)}`);
}

async function fateOf(tree: string, mutant: Mutant): Promise<Fate> {
  if (!fits(tree, mutant)) return 'STALE';
  const verdict = await mutated(tree, mutant, () => verdictOf(tree, mutant.tests, mutant.backEnd, RUN_ms));
  if (verdict === 'pass') return 'SURVIVED';
  return verdict === 'fail' ? 'killed' : 'killed by its time';
}

async function fateBeforeAllTests(tree: string, mutant: Mutant): Promise<Fate> {
  const verdict = await mutated(tree, mutant, () => verdictOf(tree, QUICK, mutant.backEnd, ALL_ms));
  return verdict === 'pass' ? 'SURVIVED' : 'killed by other tests';
}

/** All of them, as many at a time as there are trees. */
async function inLanes(
  trees: readonly string[],
  list: readonly Mutant[],
  work: (tree: string, mutant: Mutant) => Promise<Fate>,
): Promise<void> {
  const queue = [...list];
  await Promise.all(
    trees.map(async (tree) => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const fate = await work(tree, mutant);
        fates.set(mutant, fate);
        const tried = [...fates.values()].filter((each) => each !== 'not tried').length;
        console.log(`${minutes()} min, ${tried}/${fates.size}, ${fate}: ${mutant.name}`);
      }
    }),
  );
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    score();
    clearAway();
    process.exit(1);
  });
try {
  const trees = Array.from({ length: LANES }, (_, lane) => copyTree(`tree-${lane}`));
  const [first = ''] = trees;
  for (const backEnd of [undefined, 'postgres'] as const) {
    const named = mutants.filter((each) => each.backEnd === backEnd).flatMap((each) => each.tests);
    await requirePass(first, named, backEnd);
  }
  console.log(`${minutes()} min: the tests pass as long as nothing is changed; ${mutants.length} mutants`);
  await inLanes(trees, mutants, fateOf);
  const alive = mutants.filter((each) => fates.get(each) === 'SURVIVED' && !each.backEnd);
  if (alive.length > 0) {
    await requirePass(first, QUICK, undefined);
    await inLanes(trees, alive, fateBeforeAllTests);
  }
  process.exitCode = score() ? 0 : 1;
} finally {
  clearAway();
}
