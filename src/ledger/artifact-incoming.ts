import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, write, writeSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { synced } from './synced.js';

/** Bytes that have arrived whole and have no name yet. */
export interface Received {
  /** A file of its own, gone when `receive` is over unless it was moved. */
  readonly file: string;
  readonly sha256: string;
  readonly size_bytes: number;
  /** Gives the file its place. @throws as `renameSync`, and it stays where it was */
  readonly moveTo: (target: string) => void;
}

/**
 * Where uploads arrive, before the hash of the whole gives them their name: files, so that a large upload, or many
 * at once, take disk and not memory. What only touches the page cache is done at once: with many under way, a turn of
 * the event loop for each such step takes far longer than the step.
 */
export class Incoming {
  constructor(private readonly folder: string) {}

  /**
   * Writes a stream to a file, synced, and gives it to `keep`.
   * @throws Refusal TOO_LARGE beyond `limit_bytes`, BUSY when the disk is full; nothing is left behind then
   */
  async receive<T>(
    content: AsyncIterable<Uint8Array>,
    limit_bytes: number,
    keep: (received: Received) => Promise<T>,
  ): Promise<T> {
    const file = join(this.folder, randomUUID());
    let moved = false;
    const moveTo = (target: string): void => {
      renameSync(file, target);
      moved = true;
    };
    try {
      const written = await writeSynced(this.create(file), content, limit_bytes);
      return await keep({ file, ...written, moveTo });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      throw new Refusal('BUSY', 'the disk is full; nothing was stored');
    } finally {
      if (!moved) rmSync(file, { force: true });
    }
  }

  private create(file: string): number {
    try {
      return openSync(file, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      mkdirSync(this.folder, { recursive: true });
      return openSync(file, 'wx');
    }
  }

  /** Removes what uploads left behind that a crash cut off. Young files are let be: another process may be writing them. */
  async sweep(now_ms: number, age_ms: number): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      const file = join(this.folder, name);
      const found = await stat(file).catch(() => null);
      if (found && now_ms - found.mtimeMs > age_ms) await rm(file, { force: true });
    }
  }
}

const written = promisify(write);

/** Writes all of it and closes the file. A handle, not a stream: a stream that is destroyed with a write under way fails later, where nobody listens. */
async function writeSynced(handle: number, content: AsyncIterable<Uint8Array>, limit_bytes: number) {
  const hash = createHash('sha256');
  let size_bytes = 0;
  try {
    for await (const chunk of content) {
      size_bytes += chunk.byteLength;
      if (size_bytes > limit_bytes)
        throw new Refusal('TOO_LARGE', `an artifact may have at most ${limit_bytes} bytes`);
      hash.update(chunk);
      await append(handle, chunk);
    }
    await synced(handle);
  } finally {
    closeSync(handle);
  }
  return { sha256: hash.digest('hex'), size_bytes };
}

async function append(handle: number, chunk: Uint8Array): Promise<void> {
  const small = chunk.byteLength <= LIMITS.writtenAtOnce_bytes;
  for (let at = 0; at < chunk.byteLength;) {
    const rest = chunk.subarray(at);
    at += small ? writeSync(handle, rest) : (await written(handle, rest)).bytesWritten;
  }
}
