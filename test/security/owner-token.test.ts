import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import { readConfig } from '../../src/config.js';
import { ensureOwner } from '../../src/operations/principals.js';
import { isLiveToken, newToken } from '../../src/operations/tokens.js';
import { foundOwner } from '../../src/surfaces/http/owner-token.js';
import { wire } from '../../src/wiring.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'signalbox-owner-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const kept = async (): Promise<string> => (await readFile(join(dataDir, 'owner.token'), 'utf8')).trim();

describe("the first owner's token", () => {
  it('is found again after a crash between founding the owner and naming the file', async () => {
    const wired = await wire(await readConfig({ dataDir }), { recover: false });
    const broke = foundOwner(dataDir, newToken(), {
      async found(token) {
        await ensureOwner(wired.desk, token);
        throw new Error('the process ends here');
      },
    });
    await expect(broke).rejects.toThrow('the process ends here');
    await wired.close();
    const box = await openSignalbox({ dataDir, recover: false });
    expect(box.ownerToken).toBeNull();
    expect(await isLiveToken(box.desk, await kept())).toBe(true);
    expect((await stat(join(dataDir, 'owner.token'))).mode & 0o777).toBe(0o600);
    await box.close();
  });

  it('that came to nothing is taken away, and another one founds', async () => {
    const broke = foundOwner(dataDir, newToken(), {
      found: () => Promise.reject(new Error('the process ends before the owner is on record')),
    });
    await expect(broke).rejects.toThrow('before the owner');
    const box = await openSignalbox({ dataDir, recover: false });
    expect(await kept()).toBe(box.ownerToken);
    expect((await readdir(dataDir)).filter((name) => name.endsWith('.token'))).toEqual(['owner.token']);
    await box.close();
  });

  it('is one when the folder is opened twice at once, and the file holds the one that is valid', async () => {
    const boxes = await Promise.all([1, 2, 3].map(() => openSignalbox({ dataDir, recover: false })));
    const [box] = boxes;
    expect(boxes.filter(({ ownerToken }) => ownerToken !== null)).toHaveLength(1);
    expect(box !== undefined && (await isLiveToken(box.desk, await kept()))).toBe(true);
    for (const each of boxes) await each.close();
  });
});

describe('the last owner', () => {
  it('cannot be made less, by itself or through another, so that nobody is locked out for good', async () => {
    const box = await openSignalbox({ dataDir, recover: false });
    const owner = box.as('owner');
    const less = { name: 'owner', roles: ['viewer'] };
    await expect(owner.putPrincipal(less)).rejects.toThrow('the last owner');
    await owner.putPrincipal({ name: 'second', roles: ['owner'] });
    expect(await owner.putPrincipal(less)).toMatchObject({ roles: ['viewer'] });
    await expect(box.as('second').putPrincipal({ name: 'second', roles: ['worker'] })).rejects.toThrow(
      'the last owner',
    );
    await box.close();
  });
});
