/** Bytes by their SHA-256: where a graph without a desk finds inputs and artifacts. The desk's artifact store is one. */
export interface ContentStore {
  /** The bytes, or null when there are none of that name. */
  get(tenant: string, sha256: string): Promise<Uint8Array | null>;
  /** Stores the bytes of a stream under their hash. @throws when there are more than `limit_bytes` */
  put(tenant: string, content: AsyncIterable<Uint8Array>, limit_bytes: number): Promise<unknown>;
}
