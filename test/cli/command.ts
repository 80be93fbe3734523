import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The built program, as it is installed. */
export const MAIN = 'dist/surfaces/cli/main.js';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  // What a program prints is only known once it is looked at.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Options of node itself. */
  readonly node?: readonly string[];
}

export function start(args: readonly string[], { env = {}, node = [] }: RunOptions = {}): ChildProcess {
  return spawn(process.execPath, [...node, MAIN, ...args], { env: { ...process.env, ...env } });
}

/** Runs the program to its end. `json` is what stdout holds, where it holds exactly one JSON value. */
export async function signalbox(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // A program may end before it has read what there is for it.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  let json: unknown = null;
  try {
    json = JSON.parse(stdout);
  } catch {
    // Not every answer is JSON; a test that wants one finds null.
  }
  return { code, stdout, stderr, json };
}

export interface Folder {
  readonly path: string;
  /** The program on this folder, with --json. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly remove: () => Promise<void>;
}

export async function dataFolder(): Promise<Folder> {
  const parent = await mkdtemp(join(tmpdir(), 'signalbox-cli-'));
  const path = join(parent, 'data');
  return {
    path,
    run: (args, options = {}) =>
      signalbox([...args, '--json'], { ...options, env: { SIGNALBOX_DATA: path, ...options.env } }),
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}

const HEAVY = ['@langchain/', 'better-sqlite3', 'zod', 'hono', 'ajv'];

/** Options of node under which loading a part of the desk fails: what answers all the same has not loaded it. */
export function withoutTheDesk(): string[] {
  const hooks = `export async function resolve(name, context, next) {
    if (${JSON.stringify(HEAVY)}.some((heavy) => name.startsWith(heavy))) throw new Error('loads ' + name);
    return next(name, context);
  }`;
  const module = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  return [
    '--import',
    module(`import { register } from 'node:module'; register(${JSON.stringify(module(hooks))});`),
  ];
}
