/** The bytes of an artifact do not have the hash that names them. */
export class ArtifactDamaged extends Error {
  override readonly name = 'ArtifactDamaged';
  constructor(sha256: string) {
    super(`artifact ${sha256} is damaged: its bytes have another hash`);
  }
}

/** Where artifact bytes are. Content-addressed: a name is a SHA-256, so nothing is ever overwritten. */
export interface ArtifactStore {
  /**
   * Stores the bytes of a stream, durably before it resolves.
   * @throws Refusal TOO_LARGE beyond `limit_bytes`; nothing is left behind then
   */
  put(
    tenant: string,
    content: AsyncIterable<Uint8Array>,
    limit_bytes: number,
  ): Promise<{ sha256: string; size_bytes: number }>;
  /** The bytes, verified against their name; null when there are none. @throws ArtifactDamaged when they do not match it */
  get(tenant: string, sha256: string): Promise<Uint8Array | null>;
  /** Every name stored for a tenant, for `verify`. */
  list(tenant: string): AsyncIterable<string>;
}
