import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Hands } from './hands.js';

/** How long a server may take to be ready on a machine whose cores are all busy, in ms. */
const READY_ms = 120_000;

/** A process that is killed and started again under the same name. */
export class Killable {
  private child: ChildProcess | undefined;
  /** Whether it ended although nobody asked: a crash of its own, which no storm excuses. */
  crashed: string | null = null;
  private expected = false;

  constructor(
    readonly name: string,
    private readonly launch: () => ChildProcess,
  ) {}

  start(): void {
    const child = this.launch();
    this.child = child;
    this.expected = false;
    child.once('exit', (code, signal) => {
      if (!this.expected && this.child === child)
        this.crashed = `${this.name} ended by itself: ${code ?? signal}`;
    });
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** SIGTERM; gives the exit code, null where it had to be killed. */
  async stop(limit_ms: number): Promise<number | null> {
    const killing = setTimeout(() => this.child?.kill('SIGKILL'), limit_ms);
    const code = await this.end('SIGTERM');
    clearTimeout(killing);
    return code;
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (!child) return 0;
    this.expected = true;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  }
}

export interface ServerPlace {
  readonly name: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly databaseUrl: string | null;
  readonly config: string;
  readonly log: string;
  /** The built program. */
  readonly program: string;
}

/** `signalbox start`, as it is installed. */
export function serverProcess(place: ServerPlace): Killable {
  return new Killable(place.name, () => {
    const log = createWriteStream(place.log, { flags: 'a' });
    const child = spawn(process.execPath, [place.program, 'start', '--config', place.config], {
      env: { ...process.env, ...serverSettings(place) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return child;
  });
}

export function serverSettings(place: Pick<ServerPlace, 'dataFolder' | 'databaseUrl' | 'port' | 'config'>) {
  return {
    SIGNALBOX_DATA: place.dataFolder,
    SIGNALBOX_PORT: String(place.port),
    SIGNALBOX_CONFIG: place.config,
    SIGNALBOX_LOG: 'warn',
    ...(place.databaseUrl === null ? {} : { SIGNALBOX_DATABASE_URL: place.databaseUrl }),
  };
}

/** Resolves when it can do work. */
export async function ready(url: string): Promise<void> {
  const began_ms = performance.now();
  for (;;) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    if (answer?.ok) return;
    if (performance.now() - began_ms > READY_ms) throw new Error(`${url} is not ready after ${READY_ms} ms`);
    await sleep(100);
  }
}

const HANDS = fileURLToPath(new URL('hands.ts', import.meta.url));

/** A process of workers; each start goes on in the same journal with other random numbers. */
export function workerProcess(name: string, log: string, hands: (start: number) => Hands): Killable {
  let starts = 0;
  return new Killable(name, () => {
    const file = createWriteStream(log, { flags: 'a' });
    const child = fork(HANDS, {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, STORM_HANDS: JSON.stringify(hands((starts += 1))) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.stdout?.pipe(file, { end: false });
    child.stderr?.pipe(file, { end: false });
    return child;
  });
}
