import { explore } from './explore.js';
import { USUAL_CAST } from './model.js';

/** `npm run explore [-- --states N --depth N --actors 2|3|4]`: prints the states visited level by level; exits 1 with the shortest way to a broken invariant. */
const DEFAULTS = { states: 2_000_000, depth: 40, actors: USUAL_CAST };

function asked(flag: keyof typeof DEFAULTS): number {
  const at = process.argv.indexOf(`--${flag}`);
  return at < 0 ? DEFAULTS[flag] : Number(process.argv[at + 1]);
}

const begun = performance.now();
const bounds = { states: asked('states'), depth: asked('depth'), actors: asked('actors') };
const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(1);
const memory = (): string => `${Math.round(process.memoryUsage().rss / 1_048_576)} MiB`;
const result = explore(bounds, (depth, states, frontier) => {
  console.log(`depth ${depth}: ${states} states, ${frontier} of them new, ${seconds()} s, ${memory()}`);
});
console.log(
  `${bounds.actors} actors, ${result.states} states, ${result.transitions} steps tried, depth ${result.depth}, ${seconds()} s, ${memory()}${result.exhausted ? ', nothing left to visit' : ''}`,
);
if (result.violation) {
  console.error(`BROKEN: ${result.violation.invariant}`);
  for (const line of result.violation.trace) console.error(`  ${line}`);
  process.exitCode = 1;
}
