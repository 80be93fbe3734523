import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/identity.js';
import { ArtifactDamaged } from '../../src/ledger/artifact-store.js';
import { deskBox, faults, inReview, stored, type DeskBox } from '../support/desk-box.js';

let server: Awaited<ReturnType<typeof startFauxqs>>;
let client: S3Client;
let desk: DeskBox;

beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: 'desk' }));
  const artifacts = `s3://desk/results?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1`;
  desk = await deskBox({ recover: false, artifacts });
}, 60_000);
afterAll(async () => {
  await desk.close();
  client.destroy();
  await server.stop();
});

const keyOf = (hash: string): string => `results/${sha256('default').slice(0, 32)}/${hash}`;

describe('artifacts on an S3-compatible store', () => {
  it('are kept under their hash, given back byte by byte, and validated like any other', async () => {
    const hash = await stored(desk, '{"on":"s3"}');
    const { bytes } = await desk.owner.getArtifact(hash);
    expect(Buffer.from(bytes).toString()).toBe('{"on":"s3"}');
    expect((await inReview(desk, 'on-s3')).status).toBe('VP_REVIEW');
    expect(await faults(desk)).toEqual([]);
  });

  it('are refused when their bytes are not what their name says, and whole again when stored anew', async () => {
    const hash = await stored(desk, '{"whole":1}');
    await client.send(new PutObjectCommand({ Bucket: 'desk', Key: keyOf(hash), Body: '{"whole":2}' }));
    await expect(desk.owner.getArtifact(hash)).rejects.toThrow();
    await expect(desk.box.desk.artifacts.get('default', hash)).rejects.toThrow(ArtifactDamaged);
    await stored(desk, '{"whole":1}');
    expect((await desk.owner.getArtifact(hash)).sha256).toBe(hash);
  });

  it('that do not exist are none, and a bucket that does not exist stops the start', async () => {
    expect(await desk.box.desk.artifacts.get('default', sha256('nothing'))).toBeNull();
    const endpoint = encodeURIComponent(`http://127.0.0.1:${server.port}`);
    const nowhere = deskBox({ artifacts: `s3://nowhere?endpoint=${endpoint}&region=us-east-1` });
    await expect(nowhere).rejects.toThrow(/cannot reach the bucket nowhere/);
    await expect(deskBox({ artifacts: 'ftp://desk' })).rejects.toThrow(/SIGNALBOX_ARTIFACTS/);
  });
});
