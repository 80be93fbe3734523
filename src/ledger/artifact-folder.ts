import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 as hashOf } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { Incoming, type Received } from './artifact-incoming.js';
import { ArtifactDamaged } from './artifact-store.js';
import { syncFolder } from './synced.js';

/**
 * Artifacts as files named by their SHA-256, two levels deep, one tree per tenant. A file is written under a
 * temporary name, synced, renamed, and its folder synced: a crash leaves a whole artifact or none.
 */
export class ArtifactFolder {
  private readonly incoming: Incoming;

  constructor(private readonly root: string) {
    this.incoming = new Incoming(join(root, 'incoming'));
  }

  async put(
    tenant: string,
    content: AsyncIterable<Uint8Array>,
    limit_bytes: number,
  ): Promise<{ sha256: string; size_bytes: number }> {
    return await this.incoming.receive(content, limit_bytes, async (received) => {
      await this.adopt(tenant, received);
      return { sha256: received.sha256, size_bytes: received.size_bytes };
    });
  }

  async get(tenant: string, sha256: string): Promise<Uint8Array | null> {
    try {
      const bytes = await read(this.fileOf(tenant, sha256));
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

  /** Removes what uploads left behind that a crash cut off. */
  async sweep(now_ms: number, age_ms: number): Promise<void> {
    await this.incoming.sweep(now_ms, age_ms);
  }

  private async adopt(tenant: string, { sha256, moveTo }: Received): Promise<void> {
    const target = this.fileOf(tenant, sha256);
    // The same bytes again change nothing; over damaged ones they are the repair.
    if (existsSync(target) && (await this.isWhole(target, sha256))) return;
    const folder = dirname(target);
    const created = mkdirSync(folder, { recursive: true });
    moveTo(target);
    await syncFolder(folder);
    if (created === undefined) return;
    // Every folder that is new must be on disk in its parent too, or a power cut takes the artifact with it.
    for (let fresh = folder; fresh.length >= created.length; fresh = dirname(fresh))
      await syncFolder(dirname(fresh));
  }

  private async isWhole(file: string, sha256: string): Promise<boolean> {
    const bytes = await read(file).catch(() => null);
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

/** A small file is read at once, as the database's pages are; a large one holds nobody up. */
async function read(file: string): Promise<Uint8Array> {
  return statSync(file).size <= LIMITS.readAtOnce_bytes ? readFileSync(file) : await readFile(file);
}
