import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../core/refusals.js';

/** Bytes that have arrived whole and have no name yet. */
export interface Received {
  /** A file of its own, gone when `receive` is over unless it was renamed. */
  readonly file: string;
  readonly sha256: string;
  readonly size_bytes: number;
}

/**
 * Where uploads arrive, before the hash of the whole gives them their name: files, so that a large upload, or many
 * at once, take disk and not memory.
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
    try {
      await mkdir(this.folder, { recursive: true });
      return await keep({ file, ...(await writeSynced(file, content, limit_bytes)) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      throw new Refusal('BUSY', 'the disk is full; nothing was stored');
    } finally {
      await rm(file, { force: true });
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

async function writeSynced(file: string, content: AsyncIterable<Uint8Array>, limit_bytes: number) {
  const hash = createHash('sha256');
  let size_bytes = 0;
  // A handle, not a stream: a stream that is destroyed with a write under way fails later, where nobody listens.
  const handle = await open(file, 'wx');
  try {
    for await (const chunk of content) {
      size_bytes += chunk.byteLength;
      if (size_bytes > limit_bytes)
        throw new Refusal('TOO_LARGE', `an artifact may have at most ${limit_bytes} bytes`);
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sha256: hash.digest('hex'), size_bytes };
}
