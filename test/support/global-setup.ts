import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What has to be true once before any test file runs. */
export default function globalSetup(): () => Promise<void> {
  forgetOwnSettings();
  const run = mkdtempSync(join(tmpdir(), 'signalbox-run-'));
  process.env['SIGNALBOX_TEST_RUN'] = run;
  process.env['SIGNALBOX_TEST_MAIN'] = String(process.pid);
  build();
  return () => endRun(run);
}

/** Stops the PostgreSQL server that test files of this run have started, if any did, and removes the run's folder. */
async function endRun(run: string): Promise<void> {
  const file = join(run, 'postgres.json');
  if (existsSync(file)) {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGTERM');
    for (let looks = 0; looks < 200 && isAlive(pid); looks += 1) await sleep(50);
  }
  rmSync(run, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A developer's own server, token or data folder must not leak into the tests. Workers inherit this environment. */
function forgetOwnSettings(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('SIGNALBOX_') && !name.startsWith('SIGNALBOX_TEST_')) delete process.env[name];
  }
}

/**
 * Builds `dist` for the tests that start the CLI as a process. Incremental, so it costs little where nothing changed.
 * Type errors are printed but stop nothing here: the compiler emits all the same, and `npm run check` fails on them.
 */
function build(): void {
  if (!existsSync('src/surfaces/cli/main.ts')) return;
  const result = spawnSync('npm', ['run', '--silent', 'build'], { encoding: 'utf8' });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) process.stdout.write(`The build reports:\n${result.stdout}${result.stderr}\n`);
}
