import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import { deskBox, faults, handIn, inProgress, waitOf, type DeskBox } from '../support/desk-box.js';
import { signalbox } from './command.js';

let desk: DeskBox;
let file: string;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
  file = join(desk.dataDir, 'desk.jsonl.gz');
  await inProgress(desk, 'held');
}, 120_000);
afterAll(() => desk.close());

const on = (folder: string, ...args: string[]) =>
  signalbox([...args, '--json'], { env: { SIGNALBOX_DATA: join(desk.dataDir, folder) } });

describe('signalbox backup and restore', () => {
  it('writes a desk that is in use into one file, and brings it into an empty folder, where it goes on', async () => {
    const [backup] = await Promise.all([
      signalbox(['backup', file, '--json'], { env: { SIGNALBOX_DATA: desk.dataDir } }),
      (async () => {
        for (let index = 0; index < 8; index += 1) await inProgress(desk, `moving-${index}`);
      })(),
    ]);
    expect(backup).toMatchObject({ code: 0, stderr: '' });
    expect(backup.json.works).toBeGreaterThanOrEqual(1);
    const told = waitOf(await desk.owner.show('held'));
    expect(await on('restored', 'restore', file)).toMatchObject({
      code: 0,
      json: { works: backup.json.works },
    });
    const dataDir = join(desk.dataDir, 'restored');
    const restored = { ...desk, dataDir, box: await openSignalbox({ dataDir, recover: false }) };
    const there = {
      ...restored,
      as: (name: string) => restored.box.as(name),
      owner: restored.box.as('owner'),
    };
    const held = await there.owner.show('held');
    expect(waitOf(held)).toBe(told);
    expect((await handIn(there, held, '{"of":"held"}')).status).toBe('VP_REVIEW');
    expect(await faults(there)).toEqual([]);
    await restored.box.close();
    const again = await on('restored', 'restore', file);
    expect(again).toMatchObject({ code: 1, json: { error: { code: 'INVALID' } } });
  }, 120_000);

  it('says what is wrong with a file that is not there, was cut off, or is none', async () => {
    const missing = await on('missing', 'restore', join(desk.dataDir, 'nothing.jsonl.gz'));
    expect(missing).toMatchObject({ code: 3 });
    expect(missing.stderr + missing.stdout).toMatch(/there is no file .*nothing\.jsonl\.gz/);
    // Nothing is founded for it.
    await expect(stat(join(desk.dataDir, 'missing'))).rejects.toThrow(/ENOENT/);
    const whole = await readFile(file);
    const cut = join(desk.dataDir, 'cut.jsonl.gz');
    await writeFile(cut, whole.subarray(0, Math.floor(whole.byteLength / 2)));
    const ended = await on('cut', 'restore', cut);
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.stderr + ended.stdout).toMatch(/no whole archive: it ends early.*Nothing of it is brought/s);
    // Nothing is founded for it either, and a whole one finds the folder empty.
    await expect(stat(join(desk.dataDir, 'cut'))).rejects.toThrow(/ENOENT/);
    expect(await on('cut', 'restore', file)).toMatchObject({ code: 0 });
    const none = join(desk.dataDir, 'none.jsonl');
    await writeFile(none, 'this is\nno archive\n');
    const refused = await on('none', 'restore', none);
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr + refused.stdout).toMatch(/line 1 is no JSON/);
  }, 120_000);

  it('has every tenant in it, and verify looks at every one', async () => {
    await desk.owner.putPrincipal({ name: 'boss', roles: ['owner'], tenant: 'acme' });
    await desk.box.as('boss', { tenant: 'acme' }).register({ workId: 'theirs', input: {} });
    const all = join(desk.dataDir, 'all.jsonl');
    const here = { env: { SIGNALBOX_DATA: desk.dataDir } };
    const backup = await signalbox(['backup', all, '--json'], here);
    expect(backup).toMatchObject({ code: 0, json: { tenants: ['acme', 'default'] } });
    expect(await on('all', 'restore', all)).toMatchObject({
      code: 0,
      json: { tenants: ['acme', 'default'] },
    });
    const verified = await on('all', 'verify');
    expect(verified).toMatchObject({ code: 0, json: { clean: true, works: backup.json.works } });
    const one = join(desk.dataDir, 'acme.jsonl');
    const part = await signalbox(['export', one, '--tenant', 'acme', '--json'], here);
    expect(part).toMatchObject({ code: 0, json: { tenants: ['acme'], works: 1 } });
  }, 120_000);
});
