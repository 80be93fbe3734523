import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
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
