import type { ContentStore } from '../core/content.js';
import { sha256 } from '../core/identity.js';

/** Content that lives as long as the process. */
export class MemoryContent implements ContentStore {
  private readonly held = new Map<string, Uint8Array>();

  get(tenant: string, name: string): Promise<Uint8Array | null> {
    return Promise.resolve(this.held.get(keyOf(tenant, name)) ?? null);
  }

  async put(tenant: string, content: AsyncIterable<Uint8Array>, limit_bytes: number): Promise<void> {
    const chunks: Uint8Array[] = [];
    let size_bytes = 0;
    for await (const chunk of content) {
      size_bytes += chunk.byteLength;
      if (size_bytes > limit_bytes) throw new Error(`content may have at most ${limit_bytes} bytes`);
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    this.held.set(keyOf(tenant, sha256(bytes)), bytes);
  }
}

const keyOf = (tenant: string, name: string): string => JSON.stringify([tenant, name]);
