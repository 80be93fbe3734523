import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Door } from '../../src/operations/door.js';
import { databaseOf } from './desk-box.js';
import type { Asked, Told } from './desk-process.js';

export interface DeskProcess {
  readonly pid: number;
  /** Asks for a verb; beginning at `at_ms` (ms since the epoch) where given. Rejects when the process is gone. */
  call(principal: string, verb: keyof Door, args: readonly unknown[], at_ms?: number): Promise<Told>;
  /** SIGKILL: nothing is flushed, nothing is said. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Closes the desk and lets the process end. */
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('desk-process.ts', import.meta.url));

/** Starts a real process on a data folder. `apply: false` accepts answers and never applies them. */
export async function startDeskProcess(
  dataDir: string,
  { apply = true, recover = false }: { apply?: boolean; recover?: boolean } = {},
): Promise<DeskProcess> {
  const databaseUrl = databaseOf(dataDir);
  const child = fork(PROGRAM, {
    execArgv: ['--import', 'tsx'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      APPLY: apply ? 'yes' : 'no',
      RECOVER: recover ? 'yes' : 'no',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    serialization: 'advanced',
  });
  const waiting = new Map<number, (outcome: Told | Error) => void>();
  const gone = once(child, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    child.once('exit', () => {
      const error = new Error('the process is gone');
      reject(error);
      for (const settle of waiting.values()) settle(error);
      waiting.clear();
    });
    child.on('message', (told: Told | 'ready') => {
      if (told === 'ready') {
        resolve();
        return;
      }
      waiting.get(told.id)?.(told);
      waiting.delete(told.id);
    });
  });
  await ready;
  let last = 0;
  return {
    pid: child.pid ?? 0,
    call(principal, verb, args, at_ms = 0) {
      const asked: Asked = { id: (last += 1), principal, verb, args, at_ms };
      return new Promise((resolve, reject) => {
        const settle = (outcome: Told | Error): void => {
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        };
        waiting.set(asked.id, settle);
        child.send(asked, (error) => {
          if (error) settle(error);
        });
      });
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    async close() {
      child.send('close');
      await gone;
    },
  };
}
