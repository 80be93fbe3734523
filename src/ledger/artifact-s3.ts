import type * as Sdk from '@aws-sdk/client-s3';
import { sha256 as hashOf } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import { ArtifactDamaged, type ArtifactStore } from './artifact-store.js';
import { StoreError } from './store.js';

/** Where the bytes are, as `s3://bucket/prefix?endpoint=…&region=…` says it. */
export interface S3Place {
  readonly bucket: string;
  /** What every key begins with; empty or ending in `/`. */
  readonly prefix: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint: string | null;
  readonly region: string | null;
}

/**
 * Artifacts as objects of an S3-compatible store, for desks on many machines. Keys are SHA-256, so writing one again
 * writes the same bytes, over damaged ones the repair. Credentials come from where the AWS SDK looks for them.
 */
export class ArtifactBucket implements ArtifactStore {
  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly place: S3Place,
  ) {}

  /** @throws StoreError when the optional package is not installed or the bucket cannot be reached */
  static async open(place: S3Place): Promise<ArtifactBucket> {
    const sdk = await import('@aws-sdk/client-s3').catch((cause: unknown) => {
      throw new StoreError('artifacts on S3 need the package @aws-sdk/client-s3; install it', { cause });
    });
    const client = new sdk.S3Client({
      ...(place.region === null ? {} : { region: place.region }),
      // Stores of others seldom have a name for each bucket.
      ...(place.endpoint === null ? {} : { endpoint: place.endpoint, forcePathStyle: true }),
    });
    await client.send(new sdk.HeadBucketCommand({ Bucket: place.bucket })).catch((cause: unknown) => {
      client.destroy();
      throw new StoreError(`cannot reach the bucket ${place.bucket}: ${String(cause)}`, { cause });
    });
    return new ArtifactBucket(sdk, client, place);
  }

  async put(
    tenant: string,
    content: AsyncIterable<Uint8Array>,
    limit_bytes: number,
  ): Promise<{ sha256: string; size_bytes: number }> {
    // The name is the hash of the whole, so the whole must be here before it can be sent under its name.
    const bytes = await collected(content, limit_bytes);
    const sha256 = hashOf(bytes);
    await this.client.send(
      new this.sdk.PutObjectCommand({
        Bucket: this.place.bucket,
        Key: this.keyOf(tenant, sha256),
        Body: bytes,
        ContentLength: bytes.byteLength,
        // The store compares what arrived with this before it keeps it.
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      }),
    );
    return { sha256, size_bytes: bytes.byteLength };
  }

  async get(tenant: string, sha256: string): Promise<Uint8Array | null> {
    const found = await this.client
      .send(new this.sdk.GetObjectCommand({ Bucket: this.place.bucket, Key: this.keyOf(tenant, sha256) }))
      .catch((error: unknown) => {
        if (error instanceof this.sdk.NoSuchKey) return null;
        throw error;
      });
    if (!found?.Body) return null;
    const bytes = await found.Body.transformToByteArray();
    if (hashOf(bytes) !== sha256) throw new ArtifactDamaged(sha256);
    return bytes;
  }

  async *list(tenant: string): AsyncIterable<string> {
    const Prefix = this.folderOf(tenant);
    let ContinuationToken: string | undefined;
    do {
      const page = await this.client.send(
        new this.sdk.ListObjectsV2Command({
          Bucket: this.place.bucket,
          Prefix,
          ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
        }),
      );
      for (const { Key } of page.Contents ?? []) if (Key) yield Key.slice(Prefix.length);
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  private keyOf(tenant: string, sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw new Refusal('INVALID', 'sha256 must be 64 lower-case hex digits');
    return this.folderOf(tenant) + sha256;
  }

  /** A tenant's name never becomes a part of a key: its hash does. */
  private folderOf(tenant: string): string {
    return `${this.place.prefix}${hashOf(tenant).slice(0, 32)}/`;
  }
}

async function collected(content: AsyncIterable<Uint8Array>, limit_bytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size_bytes = 0;
  for await (const chunk of content) {
    size_bytes += chunk.byteLength;
    if (size_bytes > limit_bytes)
      throw new Refusal('TOO_LARGE', `an artifact may have at most ${limit_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
