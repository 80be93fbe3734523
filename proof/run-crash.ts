import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { lifeKilledAt, unlike, type BackEnd } from './crash/run-life.js';

/**
 * `npm run crash [-- --from N --to N --back-end sqlite|postgres]`: kills one life at each of its durable steps and
 * finishes it each time. Exits 1 where one cannot be finished, or ends otherwise. A run that is stopped says how far it
 * came; it takes the steps a stride apart, so that what it did is spread over the whole life.
 */
const LANES = 2;
const STRIDE = 16;
/** How long a PostgreSQL server may take to end. */
const STOP_ms = 20_000;
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: 'Infinity' },
    'back-end': { type: 'string', default: 'sqlite' },
  },
});
const backEnd: BackEnd = values['back-end'] === 'postgres' ? 'postgres' : 'sqlite';
let acknowledged = 0;
let survived = 0;
const broken: string[] = [];

type Whole = Awaited<ReturnType<typeof lifeKilledAt>>['finished'];

async function lane(whole: Whole, queue: number[]): Promise<void> {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const label = `step ${step}, ${whole.steps[step - 1] ?? ''}`;
    const outcome = await lifeKilledAt(step, backEnd).catch((error: unknown) => String(error));
    const harm = typeof outcome === 'string' ? outcome : unlike(whole, outcome.finished);
    if (harm) broken.push(`${label}: ${harm}`);
    else survived += 1;
    if (typeof outcome !== 'string') acknowledged += outcome.acknowledged;
    if (harm) console.log(`BROKEN at ${label}: ${harm}`);
    else if (survived % 10 === 0) console.log(`${survived} kills survived; ${label}: finished`);
  }
}

async function live(): Promise<void> {
  const whole = (await lifeKilledAt(0, backEnd)).finished;
  const [from, to] = [Number(values.from), Math.min(Number(values.to), whole.steps.length)];
  const steps = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const spread = steps.toSorted((one, other) => (one % STRIDE) - (other % STRIDE) || one - other);
  console.log(
    `one life on ${backEnd} has ${whole.steps.length} durable steps and leaves ${whole.receipts.length} receipts`,
  );
  await Promise.all(Array.from({ length: LANES }, () => lane(whole, spread)));
}

/** A PostgreSQL server of this run's own writes its address into a folder, and stops with this process. */
const folder = mkdtempSync(join(tmpdir(), 'signalbox-crash-run-'));
process.env['SIGNALBOX_TEST_RUN'] = folder;
process.env['SIGNALBOX_TEST_MAIN'] = String(process.pid);
const begun = performance.now();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    console.log('stopped');
    const leave = () => process.exit(1);
    end().then(leave, leave);
  });
try {
  await live();
} finally {
  await end();
}
process.exitCode = broken.length === 0 ? 0 : 1;

async function end(): Promise<void> {
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(
    `${survived} kills survived in ${seconds} s, ${acknowledged} acknowledgements kept, ${broken.length} broken`,
  );
  if (backEnd === 'postgres') await stopServer();
  rmSync(folder, { recursive: true, force: true });
}

async function stopServer(): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGTERM');
  for (let waited_ms = 0; waited_ms < STOP_ms && isAlive(pid); waited_ms += 100) await sleep(100);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
