import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.js';

/** What must hold on every database: the same tests, run once on each. */
const CONFORMANCE = [
  'test/conformance/*.test.ts',
  'test/desk/lifecycle.test.ts',
  'test/desk/refusals.test.ts',
  'test/desk/backlog.test.ts',
  'test/desk/artifacts.test.ts',
  'test/desk/clock-set-back.test.ts',
  'test/life/expiry.test.ts',
  'test/life/hands.test.ts',
  'test/life/outside.test.ts',
  'test/basket/intake.test.ts',
  'test/basket/working.test.ts',
  'test/basket/queue.test.ts',
  'test/basket/journal.test.ts',
  'test/basket/numbers.test.ts',
  'test/basket/reflecting.test.ts',
  'test/basket/told.test.ts',
  'test/basket/giving-up.test.ts',
  'test/basket/basket.test.ts',
  'test/langgraph/desk-server.test.ts',
  'test/proof/storm.test.ts',
  'test/proof/desk-model.test.ts',
  'test/proof/crash.test.ts',
];
const POSTGRES_ONLY = ['test/postgres/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'sqlite', include: ['test/**/*.test.{ts,tsx}'], exclude: POSTGRES_ONLY },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...CONFORMANCE, ...POSTGRES_ONLY],
          env: { SIGNALBOX_TEST_BACK_END: 'postgres' },
        },
      },
    ],
    globalSetup: ['test/support/global-setup.ts'],
    // Processes, not threads: tests open SQLite files, send signals and measure exits. Two, for two cores.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default', new ClosingLine()],
  },
});
