import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EDGE_MUTANTS } from './mutants/edge-mutants.js';
import { GUARD_MUTANTS } from './mutants/guard-mutants.js';
import type { Mutant } from './mutants/mutant.js';
import { RECORD_MUTANTS } from './mutants/record-mutants.js';

/**
 * `npm run mutants [-- WORDS]`: makes one mistake at a time in a copy of this tree and runs the tests that ought to
 * notice, then, if they do not, all quick ones. With WORDS only the mutants whose name has them. Exits 1 when one lives.
 */
const LANES = 2;
/** A test that a mutant keeps waiting is a test that notices it. */
const RUN_ms = 120_000;
/** How long all quick tests may take. */
const ALL_ms = 600_000;
/** Asked when the tests that a mutant names do not notice. */
const QUICK = [
  'test/core',
  'test/desk',
  'test/life',
  'test/conformance/fence.test.ts',
  'test/conformance/prune.test.ts',
  'test/doors/refusals.test.ts',
  'test/basket',
  'test/proof',
];
const COPIED = [
  'src',
  'test',
  'proof',
  'samples',
  'docs',
  'dist',
  'bench',
  'package.json',
  'tsconfig.json',
  'langgraph.json',
];

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'signalbox-mutants-'));

function copyTree(name: string): string {
  const tree = join(folder, name);
  for (const part of COPIED)
    if (existsSync(join(root, part))) cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

let stopServer = (): Promise<void> => Promise.resolve();
const endOf = (child: ChildProcess) => async (): Promise<void> => {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
};

/** A server for the mutants of PostgreSQL, once one is needed. */
let postgres: Promise<string> | undefined;
function postgresUrl(): Promise<string> {
  postgres ??= (async () => {
    const server = join(root, 'test/support/postgres-server.ts');
    const args = ['--import', 'tsx', server, folder, String(process.pid)];
    stopServer = endOf(spawn(process.execPath, args, { stdio: 'ignore' }));
    while (!existsSync(join(folder, 'postgres.json'))) await sleep(100);
    return (JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8')) as { url: string }).url;
  })();
  return postgres;
}

/** Runs tests in a tree. @returns whether all passed */
async function passes(
  tree: string,
  tests: readonly string[],
  backEnd: Mutant['backEnd'],
  patience_ms = RUN_ms,
): Promise<boolean> {
  const env: NodeJS.ProcessEnv = { ...process.env, SIGNALBOX_TEST_RUN: folder };
  delete env['NODE_OPTIONS'];
  if (backEnd) {
    env['SIGNALBOX_TEST_BACK_END'] = backEnd;
    env['SIGNALBOX_TEST_DATABASE_URL'] = await postgresUrl();
  }
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [program, 'run', '--config', 'proof/mutants/mutants.vitest.config.ts', ...tests];
  const log = openSync(join(tree, 'tests.log'), 'w');
  const child = spawn(process.execPath, args, {
    cwd: tree,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), patience_ms);
  const status = await new Promise<number | null>((done) => child.once('exit', done));
  clearTimeout(timer);
  closeSync(log);
  return status === 0;
}

type Fate = 'killed' | 'killed by other tests' | 'SURVIVED' | 'STALE: its text is not there once';

async function fateOf(tree: string, mutant: Mutant): Promise<Fate> {
  const file = join(tree, mutant.file);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text.split(mutant.find).length !== 2) return 'STALE: its text is not there once';
  writeFileSync(
    file,
    text.replace(mutant.find, () => mutant.put),
  );
  try {
    const named = mutant.tests.filter((test) => existsSync(join(tree, test)));
    if (!(await passes(tree, named, mutant.backEnd))) return 'killed';
    return (await passes(tree, QUICK, mutant.backEnd, ALL_ms)) ? 'SURVIVED' : 'killed by other tests';
  } finally {
    writeFileSync(file, text);
  }
}

const words = process.argv.slice(2).join(' ');
const mutants = [...GUARD_MUTANTS, ...RECORD_MUTANTS, ...EDGE_MUTANTS].filter(({ name }) =>
  name.includes(words),
);
const queue = [...mutants];
const fates = new Map<Mutant, Fate>();
try {
  const trees = Array.from({ length: LANES }, (_, lane) => copyTree(`tree-${lane}`));
  // Tests that fail anyway would kill every mutant.
  for (const backEnd of [undefined, 'postgres'] as const) {
    const asked = mutants.filter((each) => each.backEnd === backEnd).flatMap((each) => each.tests);
    const all = backEnd ? asked : [...asked, ...QUICK];
    const tests = [...new Set(all)].filter((test) => existsSync(join(root, test)));
    if (asked.length > 0 && !(await passes(trees[0] ?? '', tests, backEnd, ALL_ms)))
      throw new Error(
        `the tests do not pass on ${backEnd ?? 'sqlite'} before anything is changed: ${readFileSync(join(trees[0] ?? '', 'tests.log'), 'utf8')}`,
      );
  }
  await Promise.all(
    trees.map(async (tree) => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const fate = await fateOf(tree, mutant);
        fates.set(mutant, fate);
        console.log(`${fate}: ${mutant.name}`);
      }
    }),
  );
} finally {
  await stopServer();
  rmSync(folder, { recursive: true, force: true });
}
const killed = [...fates.values()].filter((fate) => fate.startsWith('killed')).length;
console.log(`${killed} of ${mutants.length} mutants killed`);
for (const [mutant, fate] of fates) if (!fate.startsWith('killed')) console.log(`  ${fate}: ${mutant.name}`);
process.exitCode = killed === mutants.length ? 0 : 1;
