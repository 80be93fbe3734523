import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from '@aws-sdk/client-s3';
import { sha256 as hashOf } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import type { Incoming, Received } from './artifact-incoming.js';
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
    private readonly incoming: Incoming,
  ) {}

  /** @throws StoreError when the optional package is not installed or the bucket cannot be reached */
  static async open(place: S3Place, incoming: Incoming): Promise<ArtifactBucket> {
    const sdk = await import('@aws-sdk/client-s3').catch((cause: unknown) => {
      throw new StoreError('artifacts on S3 need the package @aws-sdk/client-s3; install it', { cause });
    });
    const client = new sdk.S3Client({
      // What fails is thrown, and what is sent again is no news; the SDK would print both.
      logger: SILENT,
      ...(place.region === null ? {} : { region: place.region }),
      // Stores of others seldom have a name for each bucket.
      ...(place.endpoint === null ? {} : { endpoint: place.endpoint, forcePathStyle: true }),
    });
    await client.send(new sdk.HeadBucketCommand({ Bucket: place.bucket })).catch((cause: unknown) => {
      client.destroy();
      throw new StoreError(`cannot reach the bucket ${place.bucket}: ${String(cause)}`, { cause });
    });
    return new ArtifactBucket(sdk, client, place, incoming);
  }

  async put(
    tenant: string,
    content: AsyncIterable<Uint8Array>,
    limit_bytes: number,
  ): Promise<{ sha256: string; size_bytes: number }> {
    // The name is the hash of the whole, so the whole must be here before it can be sent under its name.
    return await this.incoming.receive(content, limit_bytes, async (received) => {
      await this.send(tenant, received);
      return { sha256: received.sha256, size_bytes: received.size_bytes };
    });
  }

  /** The SDK does not try again what it sends from a stream, which it cannot read twice; the file can be. */
  private async send(tenant: string, { file, sha256, size_bytes }: Received): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const Body = createReadStream(file);
      try {
        await this.client.send(
          new this.sdk.PutObjectCommand({
            Bucket: this.place.bucket,
            Key: this.keyOf(tenant, sha256),
            Body,
            ContentLength: size_bytes,
            // The store compares what arrived with this before it keeps it.
            ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
          }),
        );
        return;
      } catch (error) {
        if (tries >= LIMITS.uploadTries || !isPassing(error)) throw error;
        await sleep(LIMITS.uploadPause_ms * tries);
      } finally {
        Body.destroy();
      }
    }
  }

  async get(tenant: string, sha256: string): Promise<Uint8Array | null> {
    const found = await this.client
      .send(new this.sdk.GetObjectCommand({ Bucket: this.place.bucket, Key: this.keyOf(tenant, sha256) }))
      .catch((error: unknown) => {
        if (error instanceof this.sdk.NoSuchKey) return null;
        throw error;
      });
    if (!found?.Body) return null;
    // An object that was put in place of ours may be of any size.
    if ((found.ContentLength ?? 0) > LIMITS.artifact_bytes) throw new ArtifactDamaged(sha256);
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

/** The store was not reached or was not well; what it refuses, it would refuse again. */
function isPassing(error: unknown): boolean {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status === undefined || status >= 500 || status === 429;
}

const nothing = (): void => undefined;
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
