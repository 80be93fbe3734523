import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 as hashOf } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import { ArtifactDamaged } from './artifact-store.js';

/**
 * Artifacts as files named by their SHA-256, two levels deep, one tree per tenant. A file is written under a
 * temporary name, synced, renamed, and its folder synced: a crash leaves a whole artifact or none.
 */
export class ArtifactFolder {
  constructor(private readonly root: string) {}

  async put(
    tenant: string,
    content: AsyncIterable<Uint8Array>,
    limit_bytes: number,
  ): Promise<{ sha256: string; size_bytes: number }> {
    const incoming = join(this.root, 'incoming');
    const temporary = join(incoming, randomUUID());
    try {
      await mkdir(incoming, { recursive: true });
      const written = await writeSynced(temporary, content, limit_bytes);
      await this.adopt(tenant, temporary, written.sha256);
      return written;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      throw new Refusal('BUSY', 'the disk is full; nothing was stored');
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async get(tenant: string, sha256: string): Promise<Uint8Array | null> {
    try {
      const bytes = await readFile(this.fileOf(tenant, sha256));
      if (hashOf(bytes) !== sha256) throw new ArtifactDamaged(sha256);
      return bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async *list(tenant: string): AsyncIterable<string> {
    const tree = this.treeOf(tenant);
    for (const prefix of await readdir(tree).catch(() => [])) {
      for (const name of await readdir(join(tree, prefix))) yield name;
    }
  }

  /** Removes what uploads left behind that a crash cut off. Young files are let be: another process may be writing them. */
  async sweep(now_ms: number, age_ms: number): Promise<void> {
    const incoming = join(this.root, 'incoming');
    for (const name of await readdir(incoming).catch(() => [])) {
      const file = join(incoming, name);
      const found = await stat(file).catch(() => null);
      if (found && now_ms - found.mtimeMs > age_ms) await rm(file, { force: true });
    }
  }

  private async adopt(tenant: string, temporary: string, sha256: string): Promise<void> {
    const target = this.fileOf(tenant, sha256);
    // The same bytes again change nothing; over damaged ones they are the repair.
    if (await this.isWhole(target, sha256)) return;
    const folder = dirname(target);
    const created = await mkdir(folder, { recursive: true });
    await rename(temporary, target);
    await syncFolder(folder);
    if (created === undefined) return;
    // Every folder that is new must be on disk in its parent too, or a power cut takes the artifact with it.
    for (let fresh = folder; fresh.length >= created.length; fresh = dirname(fresh))
      await syncFolder(dirname(fresh));
  }

  private async isWhole(file: string, sha256: string): Promise<boolean> {
    const bytes = await readFile(file).catch(() => null);
    return bytes !== null && hashOf(bytes) === sha256;
  }

  private fileOf(tenant: string, sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw new Refusal('INVALID', 'sha256 must be 64 lower-case hex digits');
    return join(this.treeOf(tenant), sha256.slice(0, 2), sha256);
  }

  /** A tenant's name never becomes a path: its hash does. */
  private treeOf(tenant: string): string {
    return join(this.root, hashOf(tenant).slice(0, 32));
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
