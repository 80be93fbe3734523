import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import { tellJudged } from '../../src/surfaces/cli/tell-judged.js';
import type { Serving } from '../http/serving.js';
import { gated, handIn, seedPeople, started, type Seeds } from './seeding.js';
import { formOf, servingCockpit, signedInVisitor, type Visitor } from './visiting.js';

const twice = defineKind({ name: 'twice', completion: 'pay', ownerOnly: ['pay'], approvals: 2 });

let here: Serving;
let seeds: Seeds;
let owner: Visitor;
beforeAll(async () => {
  here = await servingCockpit({ kinds: [twice] });
  seeds = await seedPeople(here.box);
  owner = await signedInVisitor(here, here.ownerToken);
}, 120_000);
afterAll(() => here.close());

const waitOf = async (workId: string) => (await seeds.owner.show(workId)).wait?.interruptId ?? '';

async function twoAreAsked(workId: string): Promise<string> {
  await seeds.owner.register({ kind: 'twice', workId, title: 'Pay it', input: {} });
  await seeds.owner.promote(workId, { reason: 'is real' });
  const { claim } = await seeds.worker.claim(workId, {});
  const artifactSha256 = await handIn(seeds, { workId }, claim.interruptId ?? '');
  const verdict = { artifactSha256, verdict: 'PASS', evidenceRef: 'log:7' };
  await seeds.reviewer.review(workId, { ...verdict, interruptId: await waitOf(workId) });
  return artifactSha256;
}

const APPROVE = /<button name="decision" value="approve"[^>]*>/;

describe('a gate that asks for two', () => {
  it('says after the first approval that one of two is there, wherever it is told', async () => {
    const artifactSha256 = await twoAreAsked('first');
    const form = formOf((await owner.get('/gates/first')).text, '/gates/first');
    const approving = { ...form, decision: 'approve', reason: 'agreed' };
    const answer = await owner.post('/gates/first', approving);
    const list = (await owner.get(answer.headers.get('location') ?? '')).text;
    expect(list).toContain('Your approval counts: 1 of 2.');
    expect(list).not.toContain('Accepted and on record');
    expect(list).toContain('Approvals: 1 of 2.');
    const gate = (await owner.get('/gates/first')).text;
    expect(APPROVE.exec(gate)?.[0]).toContain('disabled');
    // The second tab, with another key.
    const second = await owner.post('/gates/first', { ...approving, key: 'another-tab' });
    expect(second.status).toBe(409);
    expect(second.text).toContain('You have approved this.');
    expect(second.text).not.toContain('Nothing to do: another submission was accepted');
    await here.box.as('owner').putPrincipal({ name: 'olga', roles: ['owner'] });
    const other = await signedInVisitor(here, await here.tokenOf('olga', ['owner']));
    expect(APPROVE.exec((await other.get('/gates/first')).text)?.[0]).not.toContain('disabled');
    const last = await here.box.as('olga').decide('first', {
      interruptId: await waitOf('first'),
      artifactSha256,
      action: 'pay',
      decision: 'approve',
      reason: 'so do I',
    });
    expect(last).toMatchObject({ work: { status: 'MERGE_READY' }, approvals: null });
  });

  it('tells the same to programs and on the command line', async () => {
    const artifactSha256 = await twoAreAsked('told');
    const decision = {
      interruptId: await waitOf('told'),
      artifactSha256,
      action: 'pay',
      decision: 'approve',
      reason: 'agreed',
    };
    const answer = await seeds.owner.decide('told', decision);
    expect(answer.approvals).toMatchObject({ needed: 2, given: [{ by: 'owner', reason: 'agreed' }] });
    expect(tellJudged(answer)).toMatch(/^approvals +1 of 2: owner$/m);
    const { items } = await seeds.owner.list({ status: 'OWNER_GATE' });
    expect(items.find(({ workId }) => workId === 'told')?.approvals).toMatchObject({ needed: 2 });
    await expect(seeds.owner.decide('told', decision)).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
      next: expect.stringContaining('You have done your part') as string,
    });
  });
});

describe('a forged form', () => {
  it('that brings two decisions decides nothing', async () => {
    await gated(seeds, { workId: 'forged' });
    const form = Object.entries(formOf((await owner.get('/gates/forged')).text, '/gates/forged'));
    const rest = form.filter(([name]) => name !== 'csrf');
    const answer = await owner.postMany('/gates/forged', [
      ...rest,
      ['reason', 'because'],
      ['decision', 'rework'],
      ['decision', 'approve'],
    ]);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('/decision');
    expect((await seeds.owner.show('forged')).status).toBe('OWNER_GATE');
    expect((await seeds.owner.receipts('forged')).filter(({ action }) => action === 'decide')).toEqual([]);
  });

  it('of a bulk reassignment with one broken wait moves none of the others', async () => {
    const waits = await Promise.all(
      ['bulk-1', 'bulk-2'].map(async (workId) => JSON.stringify([workId, await started(seeds, { workId })])),
    );
    await owner.get('/basket?view=in_progress');
    const confirm = (...given: readonly string[]) =>
      owner.postMany('/basket/reassign/confirm', [
        ...given.map((wait): [string, string] => ['wait', wait]),
        ['reason', 'holiday'],
      ]);
    expect((await confirm(...waits, '{broken')).status).toBe(422);
    for (const workId of ['bulk-1', 'bulk-2'])
      expect(await seeds.owner.show(workId)).toMatchObject({ status: 'IN_PROGRESS', holder: 'wanda' });
    expect((await confirm(...waits)).text).toContain('bulk-2');
    expect((await seeds.owner.show('bulk-2')).holder).toBeNull();
  });
});
