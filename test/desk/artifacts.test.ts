import { readFile, readdir, utimes, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 as hashOf } from '../../src/core/identity.js';
import { LIMITS } from '../../src/core/limits.js';
import { artifactFile } from '../support/artifact-file.js';
import { deskBox, faults, stored, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
beforeEach(async () => {
  desk = await deskBox({ recover: false });
});
afterEach(() => desk.close());

const incoming = () => join(desk.dataDir, 'artifacts', 'incoming');

describe('an artifact', () => {
  it('is its bytes, under their hash, read back as they were', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 256);
    const { sha256, size } = await desk.as('ann').putArtifact(bytes, 'application/octet-stream');
    expect({ sha256, size }).toEqual({ sha256: hashOf(bytes), size: 300_000 });
    const read = await desk.as('rita').getArtifact(sha256);
    expect(Buffer.from(read.bytes).equals(Buffer.from(bytes))).toBe(true);
    expect(read).toMatchObject({ mediaType: 'application/octet-stream', storedBy: 'ann' });
  });

  it('is one artifact however often and by whomever its bytes are stored, at once or later', async () => {
    const all = await Promise.all(['ann', 'bob', 'ann', 'bob'].map((name) => stored(desk, 'the same', name)));
    expect(new Set([...all, await stored(desk, 'the same', 'bob')]).size).toBe(1);
    expect(await readdir(incoming())).toEqual([]);
  });

  it('whose bytes were damaged is not handed out, and is whole again once its bytes are stored again', async () => {
    const sha256 = await stored(desk, 'precious');
    await writeFile(artifactFile(desk.dataDir, sha256), 'precioUs');
    await expect(desk.as('rita').getArtifact(sha256)).rejects.toThrow(/damaged/);
    expect((await faults(desk)).map((each) => each.code)).toEqual(['ARTIFACT_DAMAGED']);
    expect(await stored(desk, 'precious', 'bob')).toBe(sha256);
    expect(await readFile(artifactFile(desk.dataDir, sha256), 'utf8')).toBe('precious');
    expect(await faults(desk)).toEqual([]);
  });

  it('that is too large is refused while it arrives, and nothing of it stays', async () => {
    let sent = 0;
    async function* endless() {
      await Promise.resolve();
      for (;;) {
        sent += 1_048_576;
        yield new Uint8Array(1_048_576);
      }
    }
    await expect(desk.as('ann').putArtifact(endless(), 'application/octet-stream')).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    expect(sent).toBeLessThanOrEqual(LIMITS.artifact_bytes + 1_048_576);
    expect(await readdir(incoming())).toEqual([]);
  });

  it('whose sender breaks off is not stored, and nothing of it stays', async () => {
    async function* broken() {
      yield await Promise.resolve(new Uint8Array(10));
      throw new Error('connection lost');
    }
    await expect(desk.as('ann').putArtifact(broken(), 'text/plain')).rejects.toThrow('connection lost');
    expect(await readdir(incoming())).toEqual([]);
  });

  it('that a crash cut off is no artifact, and is swept away when it has lain long enough', async () => {
    await mkdir(incoming(), { recursive: true });
    const [old, young] = [join(incoming(), 'old'), join(incoming(), 'young')];
    await writeFile(old, 'half an artif');
    await writeFile(young, 'half an');
    const long = (Date.now() - LIMITS.incoming_ms) / 1000 - 60;
    await utimes(old, long, long);
    expect((await desk.as('otto').verify()).differences).toEqual([]);
    await desk.reopen();
    expect(await readdir(incoming())).toEqual(['young']);
  });

  it('of another tenant does not exist', async () => {
    const sha256 = await stored(desk, 'ours');
    await desk.owner.putPrincipal({ name: 'chief', roles: ['owner'], tenant: 'elsewhere' });
    const elsewhere = desk.box.as('chief', { tenant: 'elsewhere' });
    await expect(elsewhere.getArtifact(sha256)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(desk.as('rita').getArtifact('../../owner.token')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
