import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSignalbox } from '../src/index.js';
import { packageVersion } from '../src/surfaces/http/version.js';

/**
 * `npm run bench:startup` (after a build): how long whole processes take, from their start to their end, on a data
 * folder and through a running server; and `signalbox start` from its start to the first answer of /readyz. Writes
 * bench/startup-results.json.
 */
const MAIN = 'dist/surfaces/cli/main.js';
const ROUNDS = 9;

interface Timed {
  readonly what: string;
  readonly median_ms: number;
  readonly best_ms: number;
  readonly worst_ms: number;
}

const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-startup-'));
const box = await openSignalbox({ dataDir, recover: false });
const owner = box.as('owner');
for (let n = 0; n < 60; n += 1) {
  await owner.register({ workId: `w${n}`, input: n });
  await owner.promote(`w${n}`, { reason: 'go' });
}
await box.close();

async function run(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, SIGNALBOX_DATA: dataDir },
  });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${said}`);
  return performance.now() - begun;
}

async function timed(what: string, once_ms: () => Promise<number>): Promise<Timed> {
  await once_ms();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await once_ms());
  const sorted = times.toSorted((one, other) => one - other).map(Math.round);
  const median_ms = sorted[Math.floor(ROUNDS / 2)] ?? 0;
  const result = { what, median_ms, best_ms: sorted[0] ?? 0, worst_ms: sorted.at(-1) ?? 0 };
  console.log(
    `${what.padEnd(40)} ${String(median_ms).padStart(6)} ms (${result.best_ms} to ${result.worst_ms})`,
  );
  return result;
}

/** Starts a server and gives the time until it is ready, with what stops it. */
async function served(): Promise<{ readonly ready_ms: number; readonly stop: () => Promise<void> }> {
  const begun = performance.now();
  const env = { ...process.env, SIGNALBOX_DATA: dataDir, SIGNALBOX_LOG: 'silent' };
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0', '--json'], { env });
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  while (!said.includes('"url"')) await once(child.stdout, 'data');
  const { url } = JSON.parse(said) as { url: string };
  const ready = await fetch(`${url}/readyz`);
  if (!ready.ok) throw new Error(`/readyz answered ${ready.status}`);
  const ready_ms = performance.now() - begun;
  return {
    ready_ms,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

const FOLDER_VERBS: readonly (readonly string[])[] = [
  ['list'],
  ['show', 'w0'],
  ['history', 'w0'],
  ['stats'],
  ['basket'],
  ['claim', '--json'],
];
const results: Timed[] = [await timed('node itself', () => bare())];
results.push(await timed('--help', () => run(['--help'])));
for (const verb of FOLDER_VERBS)
  results.push(await timed(`${verb.join(' ')}, on the folder`, () => run(verb)));
results.push(
  await timed('start, to the first answer', async () => {
    const { ready_ms, stop } = await served();
    await stop();
    return ready_ms;
  }),
);
const server = await served();
for (const verb of FOLDER_VERBS)
  results.push(await timed(`${verb.join(' ')}, through a server`, () => run(verb)));
await server.stop();
await rm(dataDir, { recursive: true, force: true });

async function bare(): Promise<number> {
  const begun = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'close');
  return performance.now() - begun;
}

const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version };
const report = { at: new Date().toISOString(), version: packageVersion(), machine, rounds: ROUNDS, results };
await writeFile('bench/startup-results.json', `${JSON.stringify(report, null, 2)}\n`);
