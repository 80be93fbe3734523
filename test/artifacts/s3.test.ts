import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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

  it('arrive on disk and not in memory, and leave nothing there, kept or refused', async () => {
    const [part, parts] = [Buffer.alloc(65_536, 'x'), 15];
    const incoming = join(desk.dataDir, 'incoming');
    const onDisk: number[] = [];
    async function* content(count: number) {
      for (let sent = 0; sent < count; sent += 1) {
        const [file] = await readdir(incoming);
        onDisk.push(file === undefined ? -1 : (await stat(join(incoming, file))).size);
        yield part;
      }
    }
    const { artifacts } = desk.box.desk;
    const kept = await artifacts.put('default', content(parts), 64 * 1_048_576);
    // Each part is asked for when the one before is in the file.
    expect(onDisk).toEqual(Array.from({ length: parts }, (_, sent) => sent * part.byteLength));
    expect(kept).toEqual({ sha256: sha256(Buffer.alloc(65_536 * parts, 'x')), size_bytes: 65_536 * parts });
    expect((await artifacts.get('default', kept.sha256))?.byteLength).toBe(kept.size_bytes);
    await expect(artifacts.put('default', content(3), 65_536)).rejects.toThrow(/TOO_LARGE/);
    expect(await readdir(incoming)).toEqual([]);
  }, 60_000);

  it('are sent again where the store was not reached or answered that it is not well', async () => {
    const upstream = server.port;
    let refusals = 2;
    const flaky = createServer((request, answer) => {
      if (request.method === 'PUT' && (refusals -= 1) >= 0) {
        if (refusals === 0) return void request.socket.destroy();
        return void request.resume().on('end', () => answer.writeHead(503).end());
      }
      const { method, headers, url } = request;
      const on = httpRequest({ port: upstream, host: '127.0.0.1', method, path: url, headers }, (from) => {
        answer.writeHead(from.statusCode ?? 500, from.headers);
        from.pipe(answer);
      });
      request.pipe(on);
    });
    await once(flaky.listen(0, '127.0.0.1'), 'listening');
    const endpoint = encodeURIComponent(`http://127.0.0.1:${(flaky.address() as AddressInfo).port}`);
    const other = await deskBox({
      recover: false,
      artifacts: `s3://desk?endpoint=${endpoint}&region=us-east-1`,
    });
    const hash = await stored(other, '{"sent":"again"}');
    expect(refusals).toBe(-1);
    expect((await other.owner.getArtifact(hash)).sha256).toBe(hash);
    await other.close();
    flaky.closeAllConnections();
    flaky.close();
  });

  it('that do not exist are none, and a bucket that does not exist stops the start', async () => {
    expect(await desk.box.desk.artifacts.get('default', sha256('nothing'))).toBeNull();
    const endpoint = encodeURIComponent(`http://127.0.0.1:${server.port}`);
    const nowhere = deskBox({ artifacts: `s3://nowhere?endpoint=${endpoint}&region=us-east-1` });
    await expect(nowhere).rejects.toThrow(/cannot reach the bucket nowhere/);
    await expect(deskBox({ artifacts: 'ftp://desk' })).rejects.toThrow(/SIGNALBOX_ARTIFACTS/);
  });
});
