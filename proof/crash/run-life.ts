import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '../../test/support/postgres.js';
import { originServer, type OriginServer } from '../../test/basket/origin-server.js';
import type { Finished } from './journal.js';

const SECRET = `whsec_${Buffer.from('a secret of the proof').toString('base64')}`;
/** The same as this file's: .ts, or .js where the proof was compiled, which starts twice as fast. */
const ENDING = extname(import.meta.url);
const PRELOAD = new URL(`failpoint${ENDING}`, import.meta.url).href;
const PROGRAM = fileURLToPath(new URL(`life-process${ENDING}`, import.meta.url));
const LOADER = ENDING === '.ts' ? ['--import', 'tsx'] : [];
/** By this much later everything that a dead process had begun counts as left. */
const LATER_ms = 120_000;

interface Attempt {
  readonly signal: NodeJS.Signals | null;
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly error: string;
}

/** One process on a data folder. @param crashAt the durable step at which it kills itself; 0 for none */
async function attempt(
  folder: string,
  origin: OriginServer,
  databaseUrl: string,
  crashAt: number,
  offset_ms: number,
): Promise<Attempt> {
  const child = spawn(process.execPath, [...LOADER, '--import', PRELOAD, PROGRAM], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATA_DIR: join(folder, 'data'),
      JOURNAL: join(folder, 'journal'),
      ORIGIN_URL: origin.url,
      ORIGIN_SECRET: SECRET,
      SIGNALBOX_DATABASE_URL: databaseUrl,
      CRASH_AT: String(crashAt),
      OFFSET_MS: String(offset_ms),
    },
  });
  const texts = ['', ''];
  [child.stdio[3], child.stderr].forEach((pipe, index) => {
    pipe?.on('data', (bytes: Buffer) => (texts[index] += bytes.toString()));
  });
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) => {
    child.once('close', (...how) => done(how));
  });
  return { status, signal, lines: (texts[0] ?? '').split('\n').filter(Boolean), error: texts[1] ?? '' };
}

export type BackEnd = 'sqlite' | 'postgres';

export interface Survived extends Pick<Finished, 'finished'> {
  /** Calls that were acknowledged before the crash. */
  readonly acknowledged: number;
}

/**
 * Lives one life, killed at a durable step, and finishes it with another process on the same folder.
 * @throws Error when the second process cannot finish it, or was told otherwise than the first
 */
export async function lifeKilledAt(crashAt: number, backEnd: BackEnd = 'sqlite'): Promise<Survived> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-crash-'));
  const origin = await originServer(SECRET);
  const database = backEnd === 'postgres' ? await testDatabase() : undefined;
  const url = database?.url ?? '';
  try {
    let acknowledged = 0;
    if (crashAt > 0) {
      const killed = await attempt(folder, origin, url, crashAt, 0);
      if (killed.signal !== 'SIGKILL')
        throw new Error(`step ${crashAt} was not reached (exit ${killed.status}): ${killed.error}`);
      appendFileSync(join(folder, 'journal'), `${killed.lines.join('\n')}\n`);
      acknowledged = killed.lines.filter((line) => line.includes('"told"')).length;
    }
    const last = await attempt(folder, origin, url, 0, crashAt > 0 ? LATER_ms : 0);
    if (last.status !== 0)
      throw new Error(`killed at step ${crashAt}, it could not be finished: ${last.error}`);
    const { finished } = JSON.parse(last.lines.at(-1) ?? '') as Finished;
    if (origin.orders.length !== 1 || new Set(origin.arrived).size !== 1)
      throw new Error(`killed at step ${crashAt}, the origin was told of ${origin.arrived.join(', ')}`);
    return { finished, acknowledged };
  } finally {
    await origin.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What differs between a life that was cut short and one that was not; null where nothing does. */
export function unlike(whole: Finished['finished'], cut: Finished['finished']): string | null {
  const { steps: _whole, ...should } = whole;
  const { steps: _cut, ...is } = cut;
  return JSON.stringify(should) === JSON.stringify(is)
    ? null
    : `expected ${JSON.stringify(should)}, found ${JSON.stringify(is)}`;
}
