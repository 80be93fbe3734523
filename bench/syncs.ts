import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ENTRIES } from './contestants.js';

/** The program of one process. */
export const LIVES = fileURLToPath(new URL('lives.ts', import.meta.url));

const run = promisify(execFile);
/** Works for each one in flight: enough that the last, smaller groups do not tell. */
const WORKS_EACH = 4;
const WORKS_LEAST = 24;

/**
 * How often a work asks the system to sync a file, by strace, in a run of its own because tracing slows it down: the
 * calls of a run with works, less those of one without. null where strace is not installed or may not trace.
 */
export async function syncsOf(key: string, inFlight: number): Promise<number | null> {
  if ((ENTRIES[key]?.processes ?? 1) > 1) return null;
  const works = Math.max(WORKS_LEAST, inFlight * WORKS_EACH);
  try {
    return ((await calls(key, works, inFlight)) - (await calls(key, 0, inFlight))) / works;
  } catch {
    return null;
  }
}

async function calls(key: string, works: number, inFlight: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-syncs-'));
  const trace = join(folder, 'trace');
  try {
    const traced = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-e', 'signal=none', '-o', trace];
    const lives = [process.execPath, '--import', 'tsx', LIVES, key, folder, '-'];
    await run('strace', [...traced, ...lives, String(works), String(inFlight), '5', 'traced']);
    return (await readFile(trace, 'utf8')).split('\n').filter((line) => /f(data)?sync\(/.test(line)).length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
