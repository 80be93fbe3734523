import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What has to be true once before any test file runs. */
export default function globalSetup(): void {
  forgetOwnSettings();
  build();
}

/** A developer's own server, token or data folder must not leak into the tests. Workers inherit this environment. */
function forgetOwnSettings(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('SIGNALBOX_')) delete process.env[name];
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
