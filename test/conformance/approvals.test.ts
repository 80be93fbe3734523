import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineKind, openSignalbox } from '../../src/index.js';
import { exportArchive } from '../../src/operations/export-archive.js';
import { importArchive } from '../../src/operations/import-archive.js';
import type { ArchiveLine } from '../../src/operations/archive-format.js';
import { deskBox, faults, PEOPLE, stored, verdictOn, waitOf, type DeskBox } from '../support/desk-box.js';
import type { EventView, WorkView } from '../../src/operations/views.js';

const payment = defineKind({
  name: 'payment',
  completion: 'pay',
  ownerOnly: ['pay'],
  effects: ['pay'],
  approvals: 2,
});

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false, kinds: [payment] });
}, 120_000);
afterAll(() => desk.close());

const owner = (name: string, actor = name) => desk.owner.putPrincipal({ name, actor, roles: ['owner'] });
beforeEach(async () => {
  for (const name of ['olga', 'olaf', 'otis']) await owner(name);
});

async function handedIn(workId: string, by = 'ann'): Promise<WorkView> {
  await desk.owner.register({ kind: 'payment', workId, input: {} });
  await desk.owner.promote(workId, { reason: 'go' });
  const { work } = await desk.as(by).claim(workId, {});
  const artifact = { sha256: await stored(desk, `{"of":"${workId}"}`, by) };
  return (await desk.as(by).submit(workId, { interruptId: waitOf(work), inputVersion: 1, artifact })).work;
}

async function atGate(workId: string): Promise<WorkView> {
  const handed = await handedIn(workId);
  return (await desk.as('rita').review(workId, verdictOn(handed, 'PASS'))).work;
}

const approve = async (who: string, gate: WorkView) =>
  (
    await desk.as(who).decide(gate.workId, {
      interruptId: waitOf(gate),
      artifactSha256: gate.artifactSha256,
      action: 'pay',
      decision: 'approve',
      reason: 'fine',
    })
  ).work.status;

const second = { code: 'ALREADY_DECIDED', detail: expect.stringContaining('another actor') as string };

describe('a gate that asks for two', () => {
  it('does not take one person for two because it answers to another actor now', async () => {
    const gate = await atGate('renamed');
    expect(await approve('olga', gate)).toBe('OWNER_GATE');
    await desk.as('olga').putPrincipal({ name: 'olga', actor: 'alias', roles: ['owner'] });
    await expect(approve('olga', gate)).rejects.toMatchObject(second);
    expect(await approve('olaf', gate)).toBe('MERGE_READY');
  });

  it('does not take two for two who turned out to be one', async () => {
    const gate = await atGate('one');
    await approve('olga', gate);
    await owner('olga', 'olaf');
    await expect(approve('olaf', gate)).rejects.toMatchObject(second);
    expect(await approve('otis', gate)).toBe('MERGE_READY');
  });

  it('does not count whoever is no owner any more, and shows whose approval fell', async () => {
    const gate = await atGate('fallen');
    await approve('olga', gate);
    await desk.owner.disablePrincipal('olga');
    expect(await approve('olaf', gate)).toBe('OWNER_GATE');
    await desk.owner.putPrincipal({ name: 'olaf', roles: ['viewer'] });
    const { approvals } = await desk.owner.show('fallen');
    expect(approvals).toMatchObject({ needed: 2, given: [], fallen: [{ by: 'olga' }, { by: 'olaf' }] });
    // Back in office, it stands again, and is still one.
    await owner('olaf');
    await expect(approve('olaf', gate)).rejects.toMatchObject(second);
    expect(await approve('otis', gate)).toBe('MERGE_READY');
  });
});

describe('who made a result', () => {
  it('judges it under no other actor', async () => {
    await desk.owner.putPrincipal({ name: 'wanda', roles: ['worker', 'reviewer', 'owner'] });
    const handed = await handedIn('own', 'wanda');
    await desk.as('wanda').putPrincipal({ name: 'wanda', actor: 'alias', roles: ['reviewer', 'owner'] });
    for (const judging of [
      desk.as('wanda').review('own', verdictOn(handed, 'PASS')),
      desk.as('wanda').claim('own', {}),
    ])
      await expect(judging).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    // Rita turns out to be Wanda.
    await desk.owner.putPrincipal({ name: 'wanda', actor: 'rita', roles: ['worker'] });
    await expect(desk.as('rita').review('own', verdictOn(handed, 'PASS'))).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    expect((await desk.as('rob').review('own', verdictOn(handed, 'PASS'))).work.status).toBe('OWNER_GATE');
  });
});

/** The events of rights so far, of those that a principal follows. */
async function rightsTold({ box }: Pick<DeskBox, 'box'>, as: string): Promise<EventView[]> {
  const position = (await box.as('owner').note('told', { text: String(Math.random()) })).text;
  const ending = new AbortController();
  const seen: EventView[] = [];
  for await (const event of box.as(as).events({ after: 0 }, { signal: ending.signal })) {
    if (event.data['text'] === position) ending.abort();
    else if (event.workId === null) seen.push(event);
  }
  return seen;
}

describe('who may do what', () => {
  it('is history: every change of rights, in the stream of events and proven by verify', async () => {
    await desk.owner.register({ workId: 'told', input: {} });
    const before = (await rightsTold(desk, 'vic')).length;
    await desk.owner.putPrincipal({ name: 'nina', roles: ['worker'] });
    await desk.owner.putPrincipal({ name: 'nina', roles: ['worker'] });
    await desk.owner.putPrincipal({ name: 'nina', actor: 'niels', roles: ['worker', 'owner'] });
    const { tokenId, token } = await desk.owner.createToken({ principal: 'nina', label: 'for her laptop' });
    await desk.owner.createSignInLink({ principal: 'nina' });
    await desk.owner.createSignInLink({});
    await desk.owner.revokeToken(tokenId);
    await desk.owner.revokeToken(tokenId);
    await desk.owner.disablePrincipal('nina');
    await expect(desk.owner.putPrincipal({ name: 'owner', roles: ['viewer'] })).resolves.toBeDefined();
    const told = (await rightsTold(desk, 'vic')).slice(before);
    expect(told.map(({ type, by, data }) => ({ type, by, ...data }))).toMatchObject([
      { type: 'principal.added', by: 'owner', principal: 'nina', actor: 'nina', roles: ['worker'] },
      {
        type: 'principal.changed',
        principal: 'nina',
        actor: 'niels',
        roles: ['worker', 'owner'],
        was: { actor: 'nina', roles: ['worker'], disabled: false },
      },
      { type: 'token.created', principal: 'nina', tokenId },
      { type: 'sign_in_link.created', principal: 'nina' },
      { type: 'token.revoked', principal: 'nina', tokenId },
      { type: 'principal.disabled', principal: 'nina' },
      { type: 'principal.changed', principal: 'owner', was: { roles: ['owner'] } },
    ]);
    for (const secret of [token, 'for her laptop']) expect(JSON.stringify(told)).not.toContain(secret);
    await desk.as('olga').putPrincipal({ name: 'owner', roles: ['owner'] });
    expect(await faults(desk)).toEqual([]);
  });

  it('stays with the desk that told of it, and comes with an archive where nobody was let in yet', async () => {
    const lines: ArchiveLine[] = [];
    for await (const line of exportArchive(desk.box.desk)) lines.push(line);
    const own = (await rightsTold(desk, 'owner')).length;
    const peopled = await deskBox({ recover: false, kinds: [payment] });
    await importArchive(peopled.box.desk, lines);
    expect(await rightsTold(peopled, 'owner')).toHaveLength(PEOPLE.length);
    expect(await faults(peopled)).toEqual([]);
    await peopled.close();
    const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-bare-'));
    const box = await openSignalbox({ dataDir, recover: false, kinds: [payment] });
    await importArchive(box.desk, lines);
    expect(await rightsTold({ box }, 'owner')).toHaveLength(own);
    expect((await box.as('owner').verify()).differences).toEqual([]);
    await box.close();
    await rm(dataDir, { recursive: true });
  });
});
