import { defineConfig } from 'vitest/config';

/** Lean, for hundreds of short runs: one worker, no build, back end and PostgreSQL server named by the environment. */
export default defineConfig({
  // The copies share the packages of the tree, and must leave nothing there.
  cacheDir: '.vite',
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    bail: 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['dot'],
  },
});
