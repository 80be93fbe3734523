import { fuzzCommandLines } from './fuzz/command-lines.js';
import { fuzzRoutes } from './fuzz/http.js';
import { fuzzImports } from './fuzz/imports.js';
import type { FuzzOptions } from './fuzz/in-batches.js';
import { fuzzIntake } from './fuzz/intake.js';
import { fuzzTools } from './fuzz/mcp.js';
import { fuzzPages } from './fuzz/pages.js';
import { fuzzThreads, fuzzWire } from './fuzz/threads.js';

/**
 * `npm run fuzz [-- --runs N --seed N --only routes,tools,… --path P]`: throws generated inputs at every door. Exits 1
 * with the seed and the smallest input that fails; the same seed, target and path show it again.
 */
const TARGETS: Readonly<Record<string, (options: FuzzOptions) => Promise<void>>> = {
  routes: fuzzRoutes,
  tools: fuzzTools,
  lines: fuzzCommandLines,
  imports: fuzzImports,
  intake: fuzzIntake,
  threads: fuzzThreads,
  pages: fuzzPages,
  wire: fuzzWire,
};

function asked(flag: string): string | undefined {
  const at = process.argv.indexOf(`--${flag}`);
  return at < 0 ? undefined : process.argv[at + 1];
}

const runs = Number(asked('runs') ?? 2_000);
const seed = Number(asked('seed') ?? Date.now() % 1_000_000);
const only = asked('only')?.split(',');
const path = asked('path');
for (const [name, fuzz] of Object.entries(TARGETS)) {
  if (only && !only.includes(name)) continue;
  const begun = performance.now();
  try {
    await fuzz({ runs, seed, ...(path === undefined ? {} : { path }) });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`${name}: ${runs} inputs, seed ${seed}, ${seconds} s: nothing found`);
  } catch (error) {
    console.error(
      `${name}: FOUND with seed ${seed}\n${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  }
}
