import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArchiveLine } from '../../src/operations/archive-format.js';
import { checkArchive } from '../../src/operations/check-archive.js';
import { exportArchive } from '../../src/operations/export-archive.js';
import { importArchive } from '../../src/operations/import-archive.js';
import { verifyDesk } from '../../src/operations/verify.js';
import { deskBox, faults, handIn, inReview, ready, waitOf, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
let lines: ArchiveLine[];
beforeAll(async () => {
  desk = await deskBox({ recover: false });
  await ready(desk, 'queued');
  await inReview(desk, 'reviewed');
  await desk.owner.putPrincipal({ name: 'boss', roles: ['owner', 'worker'], tenant: 'acme' });
  const boss = desk.box.as('boss', { tenant: 'acme' });
  await boss.register({ workId: 'theirs', input: { of: 'acme' } });
  await boss.promote('theirs', { reason: 'go' });
  const { claim } = await boss.claim('theirs', {});
  const { sha256 } = await boss.putArtifact('{"of":"acme"}', 'application/json');
  const { interruptId } = claim;
  await boss.submit('theirs', { interruptId, inputVersion: 1, artifact: { sha256 } });
  await boss.setSwitch({ switch: 'intake', paused: true, reason: 'stocktaking' });
  lines = await archived();
}, 120_000);
afterAll(() => desk.close());

async function archived(of: { tenant?: string } = {}): Promise<ArchiveLine[]> {
  const made: ArchiveLine[] = [];
  for await (const line of exportArchive(desk.box.desk, of)) made.push(line);
  return made;
}

async function* readAgain(given: readonly ArchiveLine[]): AsyncGenerator<ArchiveLine> {
  for (const line of given) yield await Promise.resolve(line);
}

const check = (given: readonly ArchiveLine[]) => checkArchive(readAgain(given));

describe('an archive', () => {
  it('holds every tenant, and brings every one into an empty desk, where each goes on', async () => {
    const to = await deskBox({ recover: false });
    const all = { tenants: ['acme', 'default'], works: 3, artifacts: 2 };
    expect(await importArchive(to.box.desk, lines)).toEqual(all);
    const [here, there] = [desk, to].map((each) => each.box.as('boss', { tenant: 'acme' }));
    expect(await there?.show('theirs')).toEqual(await here?.show('theirs'));
    expect((await there?.switches())?.turns).toEqual((await here?.switches())?.turns);
    const held = (await to.as('ann').claim('queued', {})).work;
    expect(waitOf(await desk.owner.show('queued'))).not.toBe(waitOf(held));
    expect((await handIn(to, held, '{}')).status).toBe('VP_REVIEW');
    expect(await faults(to)).toEqual([]);
    expect(await verifyDesk(to.box.desk)).toMatchObject({ clean: true, tenants: all.tenants, works: 3 });
    // What was brought to its end is a desk like any other.
    await to.reopen();
    await to.close();
  }, 60_000);

  it('holds one tenant where one is asked for, and says which there are where that one is not', async () => {
    const one = await archived({ tenant: 'acme' });
    expect(await check(one)).toEqual({ tenants: ['acme'], works: 1, artifacts: 1 });
    await expect(archived({ tenant: 'acne' })).rejects.toThrow(/NOT_FOUND.*acme, default/);
  });

  it('of the first version, which held one tenant, is still read', async () => {
    const [header, ...rest] = await archived({ tenant: 'acme' });
    expect(header).toMatchObject({ signalbox: 2, tenants: ['acme'] });
    const old = { signalbox: 1, tenant: 'acme', at: '2026-11-01T00:00:00.000Z' };
    expect(await check([old, ...rest])).toEqual({ tenants: ['acme'], works: 1, artifacts: 1 });
    await expect(check([{ ...old, signalbox: 3 }, ...rest])).rejects.toThrow(/version 3.*knows 1 and 2/);
  });

  it('is not whole wherever it is cut, and whichever line is missing', async () => {
    for (let length = 0; length < lines.length; length += 1)
      await expect(check(lines.slice(0, length)), `cut after ${length}`).rejects.toMatchObject({
        code: 'INVALID',
      });
    for (let gone = 0; gone < lines.length; gone += 1)
      await expect(check(lines.toSpliced(gone, 1)), `without ${gone}`).rejects.toMatchObject({
        code: 'INVALID',
      });
    expect((await check(lines)).works).toBe(3);
  });

  it('that was brought in part leaves a desk that nobody opens, and that takes no other', async () => {
    const to = await deskBox({ recover: false });
    // All but the very end: every work, person and artifact is there, and a tenant may be missing.
    await expect(importArchive(to.box.desk, lines.slice(0, -1))).rejects.toThrow(/cut off/);
    await expect(importArchive(to.box.desk, lines)).rejects.toThrow(/another restore into this desk/);
    await expect(to.reopen()).rejects.toThrow(/restore into this desk was begun at .* and has not ended/);
    await expect(to.reopen()).rejects.toMatchObject({ name: 'StoreError' });
    await to.close();
  }, 60_000);

  it('is brought once by two who bring it at the same time', async () => {
    const to = await deskBox({ recover: false });
    const both = await Promise.allSettled([lines, lines].map((each) => importArchive(to.box.desk, each)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await to.reopen();
    expect(await faults(to)).toEqual([]);
    await to.close();
  }, 60_000);

  it('is not brought where works are, and nothing of it stays', async () => {
    await expect(importArchive(desk.box.desk, lines)).rejects.toThrow(/tenant acme has some/);
    await desk.reopen();
    expect(await faults(desk)).toEqual([]);
  });
});
