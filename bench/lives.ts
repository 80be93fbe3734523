import { ENTRIES } from './contestants.js';
import { payload, type Step, type Timed } from './life.js';

/**
 * One process of a contestant: `lives.ts KEY FOLDER DATABASE_URL|- WORKS IN_FLIGHT WARM NAME`. Opens its place, lives
 * through WARM works, says `ready`, waits for a message, lives through WORKS with IN_FLIGHT of them under way, and
 * tells what it took.
 */
export interface Lived {
  readonly times_ms: Record<Step, number[]>;
  readonly cpu_ms: number;
  readonly peakMemory_bytes: number;
}

const [key = '', folder = '', url = '-', works = '0', inFlight = '1', warm = '0', name = ''] =
  process.argv.slice(2);
const entry = ENTRIES[key];
if (!entry) throw new Error(`no contestant ${key}`);

const times_ms: Record<Step, number[]> = { submit: [], review: [] };
const untimed: Timed = async (_step, run) => await run();
const timed: Timed = async (step, run) => {
  const begun = performance.now();
  const result = await run();
  times_ms[step].push(performance.now() - begun);
  return result;
};

const place = { folder, databaseUrl: url === '-' ? null : url };
const warmed = await entry.contestant.open(place);
for (let n = 0; n < Number(warm); n += 1) await warmed.life(`warm-${name}-${n}`, payload(n), untimed);
// Closed once, so that what the database keeps in its log for the warm works is in its file before anything is counted.
await warmed.close();
const { life, close } = await entry.contestant.open(place);

/** Without a parent to wait for, it begins at once: so it runs under a tracer. */
if (process.send) {
  process.send('ready');
  await new Promise((resolve) => process.once('message', resolve));
}
const before = process.cpuUsage();
let next = 0;
await Promise.all(
  Array.from({ length: Number(inFlight) }, async () => {
    while (next < Number(works)) {
      next += 1;
      await life(`${name}-${next}`, payload(next), timed);
    }
  }),
);
const cpu = process.cpuUsage(before);
const lived: Lived = {
  times_ms,
  cpu_ms: (cpu.user + cpu.system) / 1000,
  // In KiB there.
  peakMemory_bytes: process.resourceUsage().maxRSS * 1024,
};
process.send?.(lived);
await close();
process.disconnect?.();
