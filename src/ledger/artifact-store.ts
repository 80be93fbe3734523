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
  /** The bytes, verified against their name; null when there are none. @throws Error when they do not match it */
  get(tenant: string, sha256: string): Promise<Uint8Array | null>;
  /** Every name stored for a tenant, for `verify`. */
  list(tenant: string): AsyncIterable<string>;
}
