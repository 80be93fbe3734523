import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutant } from './mutant.js';

const COPIED = [
  'src',
  'test',
  'proof',
  'samples',
  'docs',
  'dist',
  'bench',
  'package.json',
  'tsconfig.json',
  'langgraph.json',
];

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'signalbox-mutants-'));
/** Process groups that run tests at the moment. */
const running = new Set<number>();
let server: number | undefined;

/** A copy of the whole tree: nothing is ever changed in the tree itself, however this ends. @returns its folder */
export function copyTree(name: string): string {
  const tree = join(folder, name);
  for (const part of COPIED)
    if (existsSync(join(root, part))) cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Ends what runs and removes the copies. */
export function clearAway(): void {
  for (const group of running) end(-group, 'SIGKILL');
  if (server !== undefined) end(server, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

/** Ends a process that may be gone. */
function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** A server for the mutants of PostgreSQL, once one is needed. */
let postgres: Promise<string> | undefined;
function postgresUrl(): Promise<string> {
  postgres ??= (async () => {
    const place = mkdtempSync(join(tmpdir(), 'signalbox-mutants-pg-'));
    const program = join(root, 'test/support/postgres-server.ts');
    const args = ['--import', 'tsx', program, place, String(process.pid)];
    const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: root });
    server = child.pid;
    // It removes its database as it stops; the folder goes after it.
    child.once('exit', () => rmSync(place, { recursive: true, force: true }));
    while (!existsSync(join(place, 'postgres.json'))) await sleep(100);
    return (JSON.parse(readFileSync(join(place, 'postgres.json'), 'utf8')) as { url: string }).url;
  })();
  return postgres;
}

export type Verdict = 'pass' | 'fail' | 'hang';

/** Runs tests in a tree, and ends them when they take longer than `patience_ms`. */
export async function verdictOf(
  tree: string,
  tests: readonly string[],
  backEnd: Mutant['backEnd'],
  patience_ms: number,
): Promise<Verdict> {
  const env: NodeJS.ProcessEnv = { ...process.env, SIGNALBOX_TEST_RUN: folder, NO_COLOR: '1' };
  delete env['NODE_OPTIONS'];
  if (backEnd) {
    env['SIGNALBOX_TEST_BACK_END'] = backEnd;
    env['SIGNALBOX_TEST_DATABASE_URL'] = await postgresUrl();
  }
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [program, 'run', '--config', 'proof/mutants/mutants.vitest.config.ts', ...tests];
  const log = openSync(join(tree, 'tests.log'), 'w');
  const child = spawn(process.execPath, args, {
    cwd: tree,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  const group = child.pid ?? 0;
  running.add(group);
  let waited = false;
  const timer = setTimeout(() => {
    waited = true;
    end(-group, 'SIGKILL');
  }, patience_ms);
  const status = await new Promise<number | null>((done) => child.once('exit', done));
  clearTimeout(timer);
  running.delete(group);
  closeSync(log);
  if (waited) return 'hang';
  return status === 0 ? 'pass' : 'fail';
}

/** What the last tests in a tree said of those that failed. */
export function logOf(tree: string): string {
  const text = readFileSync(join(tree, 'tests.log'), 'utf8');
  return text.slice(Math.max(0, text.indexOf('FAIL')));
}

/** Whether the mutant's text is in its file once, so that it says what it changes. */
export function fits(tree: string, { file, find }: Mutant): boolean {
  const path = join(tree, file);
  return existsSync(path) && readFileSync(path, 'utf8').split(find).length === 2;
}

/** Makes the mistake for as long as `during` takes. */
export async function mutated<T>(
  tree: string,
  { file, find, put }: Mutant,
  during: () => Promise<T>,
): Promise<T> {
  const path = join(tree, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(find, () => put),
  );
  try {
    return await during();
  } finally {
    writeFileSync(path, text);
  }
}
