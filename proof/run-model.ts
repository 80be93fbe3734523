import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/**
 * `npm run model [-- --runs N --seed N --back-end sqlite|postgres]`: more lives of the desk beside its model than a test
 * has time for, each time others. A failure prints what to set to see it again.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    'back-end': { type: 'string', default: 'sqlite' },
  },
});
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--project', values['back-end'], 'test/proof/desk-model.test.ts'],
  {
    stdio: 'inherit',
    env: { ...process.env, SIGNALBOX_TEST_RUNS: values.runs, SIGNALBOX_TEST_SEED: values.seed },
  },
);
process.exitCode = status ?? 1;
