import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import type { Serving } from '../http/serving.js';
import { gated, handIn, seedPeople, started, submitted, type Seeds } from './seeding.js';
import { formOf, servingCockpit, signedInVisitor, type Visitor } from './visiting.js';

const twice = defineKind({ name: 'twice', completion: 'pay', ownerOnly: ['pay'], approvals: 2 });

let here: Serving;
let seeds: Seeds;
let owner: Visitor;
beforeAll(async () => {
  here = await servingCockpit({ kinds: [twice] });
  seeds = await seedPeople(here.box);
  owner = await signedInVisitor(here, here.ownerToken);
});
afterAll(() => here.close());

/** Sends a form of a page as it stands there, with what a person fills in. */
async function send(
  visitor: Visitor,
  path: string,
  action: string,
  fields: Record<string, string>,
): ReturnType<Visitor['post']> {
  return await visitor.post(action, { ...formOf((await visitor.get(path)).text, action), ...fields });
}

async function waitOf(workId: string): Promise<string> {
  return (await seeds.owner.show(workId)).wait?.interruptId ?? '';
}

describe('a gate that asks for two', () => {
  it('says how many approvals are there, whose and how many are missing, and opens with the last', async () => {
    await seeds.owner.register({ kind: 'twice', workId: 'two', title: 'Pay it', input: {} });
    await seeds.owner.promote('two', { reason: 'is real' });
    const { claim } = await seeds.worker.claim('two', {});
    const artifactSha256 = await handIn(seeds, { workId: 'two' }, claim.interruptId ?? '');
    const verdict = { artifactSha256, verdict: 'PASS', evidenceRef: 'log:7' };
    await seeds.reviewer.review('two', { ...verdict, interruptId: await waitOf('two') });
    const before = await owner.get('/gates/two');
    expect(before.text).toContain('Approvals: 0 of 2.');
    expect(before.text).toContain('log:7');
    expect(before.text).toMatch(/pay it, once; the work then goes on to: To be completed/);
    expect(before.text).toContain('It does not allow');
    await send(owner, '/gates/two', '/gates/two', { decision: 'approve', reason: 'agreed with purchasing' });
    const after = await owner.get('/gates/two');
    expect(after.text).toContain('Approvals: 1 of 2.');
    expect(after.text).toContain('Still needed: 1');
    expect(after.text).toContain('agreed with purchasing');
    expect(after.text).toContain('You have approved this.');
    const second = await signedInVisitor(here, await here.tokenOf('olga', ['owner']));
    expect((await second.get('/gates/two')).text).not.toContain('You have approved this.');
    await send(second, '/gates/two', '/gates/two', { decision: 'approve', reason: 'so do I' });
    expect((await seeds.owner.show('two')).status).toBe('MERGE_READY');
  });
});

describe('a judgement', () => {
  it('is reserved and given back on its page; whoever comes meanwhile sees whose it is', async () => {
    await submitted(seeds, { workId: 'kept' });
    const rita = await signedInVisitor(here, await here.tokenOf('rita', ['reviewer']));
    const rob = await signedInVisitor(here, await here.tokenOf('rob', ['reviewer']));
    await send(rita, '/reviews/kept', '/reviews/kept/claim', {});
    expect((await rob.get('/reviews/kept')).text).toContain('Reserved by rita until');
    const turned = await send(rob, '/reviews/kept', '/reviews/kept', {
      verdict: 'PASS',
      evidenceRef: 'log:mine',
    });
    expect([turned.status, turned.text.includes('NOT_HOLDER')]).toEqual([409, true]);
    expect(turned.text).toContain('value="log:mine"');
    const back = await send(rita, '/reviews/kept', '/reviews/kept/release', { reason: 'not my field' });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/reviews/kept']);
    await send(rob, '/reviews/kept', '/reviews/kept', { verdict: 'PASS', evidenceRef: 'log:mine' });
    expect((await seeds.owner.show('kept')).status).toBe('MERGE_READY');
  });
});

describe('an effect', () => {
  it('gets its go-ahead once on the page of its work, and what became of it is reported there', async () => {
    await started(seeds, { workId: 'outside' });
    const worker = await signedInVisitor(here, await here.tokenOf('wanda'));
    const announced = { operationId: 'mail-1', action: 'mail', target: 'ann@example.com' };
    const announce = async () => {
      const answer = await send(worker, '/works/outside', '/works/outside/effect/intend', announced);
      return (await worker.get(answer.headers.get('location') ?? '')).text;
    };
    expect(await announce()).toContain('Go ahead: do it now, once');
    expect(await announce()).toContain('There is no second go-ahead');
    const settle = { outcome: 'confirmed', evidenceRef: 'log:3' };
    const bare = await send(worker, '/works/outside', '/works/outside/effect/settle', settle);
    expect([bare.status, bare.text.includes('/externalId'), bare.text.includes('value="log:3"')]).toEqual([
      422,
      true,
      true,
    ]);
    await send(worker, '/works/outside', '/works/outside/effect/settle', { ...settle, externalId: 'msg-9' });
    expect((await seeds.owner.show('outside')).effects).toMatchObject([
      { operationId: 'mail-1', outcome: 'confirmed', externalId: 'msg-9', evidenceRef: 'log:3' },
    ]);
    const page = (await worker.get('/works/outside')).text;
    expect(page).toContain('msg-9');
    expect(page).not.toContain('/works/outside/effect/settle');
    const viewer = await signedInVisitor(here, await here.tokenOf('vera', ['viewer']));
    expect((await viewer.get('/works/outside')).text).not.toContain('/effect/intend');
  });
});

describe('partial results', () => {
  it('stand on the page of their work, with their bytes and what they cover', async () => {
    const interruptId = await started(seeds, { workId: 'half' });
    const { sha256 } = await seeds.worker.putArtifact('half of it', 'text/plain');
    await seeds.worker.savePartial('half', {
      interruptId,
      artifactSha256: sha256,
      items: ['page 1', 'page 2'],
    });
    const page = (await owner.get('/works/half')).text;
    expect(page).toContain(`href="/works/half/artifacts/${sha256}"`);
    expect(page).toContain('page 1, page 2');
  });
});

describe('the proof of one work', () => {
  it('says in a sentence that its record is whole, and names what was changed behind its back', async () => {
    await gated(seeds, { workId: 'proved' });
    expect((await owner.get('/works/proved')).text).toContain('href="/works/proved/verify"');
    expect((await owner.get('/works/proved/verify')).text).toContain('Yes. Every link of its history holds');
    await here.box.desk.store.write(function* () {
      yield { parts: [`UPDATE works SET title = 'forged' WHERE work_id = 'proved'`], values: [] };
    });
    const broken = (await owner.get('/works/proved/verify')).text;
    expect(broken).toContain('No. Differences: 1.');
    expect(broken).toContain('REPLAY');
    const stranger = await signedInVisitor(here, await here.tokenOf('sam', ['scout']));
    expect((await stranger.get('/works/proved/verify')).status).toBe(404);
  });
});

describe('the basket', () => {
  it('narrows every view by text, status, kind, holder and team, and takes the filters along to the next', async () => {
    await started(seeds, { workId: 'lamp-1', title: 'Signal lamp at Kita' });
    await started(seeds, { workId: 'lamp-2', title: 'Points at Kita' });
    const found = (await owner.get('/basket?view=in_progress&q=LAMP+at&holder=wanda&kind=generic')).text;
    expect(found).toContain('In all: 1');
    expect(found).toContain('Signal lamp at Kita');
    expect(found).not.toContain('Points at Kita');
    expect(found).toContain('href="/basket?view=gates&amp;q=LAMP+at&amp;kind=generic&amp;holder=wanda"');
    expect((await owner.get('/basket?view=in_progress&q=lamp&holder=nobody')).text).toContain('In all: 0');
    expect((await owner.get('/basket?view=in_progress&q=kita&team=night')).text).toContain('In all: 0');
    const unclaimed = (await owner.get('/basket?view=unclaimed&status=REWORK&q=kita')).text;
    expect(unclaimed).toContain('In all: 0');
    const several = (await owner.get('/basket?status=OWNER_GATE&status=IN_PROGRESS&q=kita')).text;
    expect(several).toMatch(/<option value="OWNER_GATE,IN_PROGRESS" selected/);
    expect(several).toContain('In all: 2');
  });
});
