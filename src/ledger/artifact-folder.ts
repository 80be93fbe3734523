import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { sha256 as hashOf } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';

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
    await mkdir(incoming, { recursive: true });
    const temporary = join(incoming, randomUUID());
    try {
      const written = await writeSynced(temporary, content, limit_bytes);
      await this.adopt(tenant, temporary, written.sha256);
      return written;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async get(tenant: string, sha256: string): Promise<Uint8Array | null> {
    try {
      const bytes = await readFile(this.fileOf(tenant, sha256));
      if (hashOf(bytes) !== sha256)
        throw new Error(`artifact ${sha256} is damaged: its bytes have another hash`);
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

  private async adopt(tenant: string, temporary: string, sha256: string): Promise<void> {
    const target = this.fileOf(tenant, sha256);
    if (await stat(target).catch(() => null)) return;
    const folder = join(target, '..');
    const created = await mkdir(folder, { recursive: true });
    await rename(temporary, target);
    await syncFolder(folder);
    if (created) await syncFolder(join(folder, '..'));
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
  const stream = createWriteStream(file, { flags: 'wx', flush: true });
  try {
    await once(stream, 'open');
    for await (const chunk of content) {
      size_bytes += chunk.byteLength;
      if (size_bytes > limit_bytes)
        throw new Refusal('TOO_LARGE', `an artifact may have at most ${limit_bytes} bytes`);
      hash.update(chunk);
      if (!stream.write(chunk)) await once(stream, 'drain');
    }
    stream.end();
    await once(stream, 'close');
  } catch (error) {
    stream.destroy();
    throw error;
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
