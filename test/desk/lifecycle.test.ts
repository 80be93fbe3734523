import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import { artifactFile } from '../support/artifact-file.js';
import {
  completionOf,
  deskBox,
  faults,
  handIn,
  inProgress,
  inReview,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';

const payment = defineKind({
  name: 'payment',
  description: 'Every stage, and paying is the owner’s to allow.',
  identity: [],
  roundLimit: 2,
  completion: 'pay',
  ownerOnly: ['pay'],
  effects: ['pay'],
});

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false, kinds: [payment] });
});
afterAll(() => desk.close());

describe('one work, from registration to its end', () => {
  it('goes straight through on a PASS, and history tells each step by name', async () => {
    const work = await inReview(desk, 'straight');
    const passed = (await desk.as('rita').review('straight', verdictOn(work, 'PASS'))).work;
    const done = (await desk.owner.complete('straight', completionOf(passed))).work;
    expect(done).toMatchObject({ status: 'DONE', round: 1, externalId: 'ext-1', wait: null, holder: null });
    const history = await desk.owner.history('straight');
    expect(
      history.filter((event) => event.changes['status']).map((event) => event.changes['status']),
    ).toEqual(['DISCOVERED', 'READY', 'IN_PROGRESS', 'VP_REVIEW', 'MERGE_READY', 'DONE']);
    expect(
      history
        .filter((event) => event.changes['checkpoint_id'] && event.type !== 'work.registered')
        .map((event) => event.by),
    ).toEqual(['owner', 'ann', 'ann', 'rita', 'owner']);
  });

  it('comes back on REWORK: same work, same thread, next round, with what was found', async () => {
    const first = await inReview(desk, 'again');
    const findings = ['the total is wrong', { path: '/lines/2', message: 'twice the same line' }];
    const verdict = { ...verdictOn(first, 'REWORK'), findings };
    const sent = (await desk.as('rita').review('again', verdict)).work;
    expect(sent).toMatchObject({ status: 'REWORK', round: 2, holder: null });
    const { claim } = await desk.as('bob').claim('again', { interruptId: waitOf(sent) });
    expect(claim).toMatchObject({ workId: 'again', threadId: first.threadId, round: 2, inputVersion: 1 });
    expect(claim.findings).toEqual([
      { validator: 'review', path: '', message: 'the total is wrong' },
      { validator: 'review', path: '/lines/2', message: 'twice the same line' },
    ]);
    const second = await handIn(
      desk,
      await desk.owner.show('again').then((now) => ({ ...first, ...now, lease: null })),
      '{"second":1}',
      'bob',
    );
    expect(second).toMatchObject({ status: 'VP_REVIEW', round: 2, author: 'bob', findings: [] });
    // Bob made these bytes, so Ann's other name may judge them now.
    const passed = (await desk.as('ann-reviews').review('again', verdictOn(second, 'PASS'))).work;
    expect(passed.status).toBe('MERGE_READY');
  });

  it('goes to the gate on ESCALATE, and nothing automatic takes it from there', async () => {
    const work = await inReview(desk, 'escalated');
    const gated = (await desk.as('rita').review('escalated', verdictOn(work, 'ESCALATE'))).work;
    expect(gated).toMatchObject({ status: 'OWNER_GATE', gate: { from: 'VP_REVIEW', reason: 'look again' } });
    while (await desk.as('bob').claimNext()) continue;
    expect((await desk.owner.show('escalated')).status).toBe('OWNER_GATE');
    const decision = {
      interruptId: waitOf(gated),
      artifactSha256: gated.artifactSha256,
      action: gated.gate?.action,
      decision: 'approve',
      reason: 'judge it after all',
    };
    const back = (await desk.owner.decide('escalated', decision)).work;
    expect(back).toMatchObject({ status: 'VP_REVIEW', gate: null });
    expect((await desk.as('rob').review('escalated', verdictOn(back, 'PASS'))).work.status).toBe(
      'MERGE_READY',
    );
  });

  it('asks the owner before an owner-only completion, once for each artifact, and at the end of its rounds', async () => {
    await desk.owner.register({ kind: 'payment', workId: 'pay', input: {} });
    await desk.owner.promote('pay', { reason: 'go' });
    let work = (await desk.as('ann').claim('pay', {})).work;
    work = await handIn(desk, work, '{"pay":1}');
    work = (await desk.as('rita').review('pay', verdictOn(work, 'PASS'))).work;
    const decide = async (decision: string, reason: string) =>
      (
        await desk.owner.decide('pay', {
          interruptId: waitOf(work),
          artifactSha256: work.artifactSha256,
          action: work.gate?.action,
          decision,
          reason,
        })
      ).work;
    expect(work).toMatchObject({ status: 'OWNER_GATE', gate: { action: 'pay' } });
    work = await decide('approve', 'pay it');
    expect(work.status).toBe('MERGE_READY');
    const conflict = { ...completionOf(work), outcome: 'conflict' };
    work = (await desk.owner.complete('pay', conflict)).work;
    expect(work).toMatchObject({ status: 'REWORK', round: 2 });
    work = (await desk.as('ann').claim('pay', {})).work;
    work = await handIn(desk, work, '{"pay":2}');
    work = (await desk.as('rita').review('pay', verdictOn(work, 'PASS'))).work;
    expect(work).toMatchObject({ status: 'OWNER_GATE', gate: { action: 'pay' } });
    work = await decide('rework', 'not like this');
    expect(work).toMatchObject({ status: 'REWORK', round: 3 });
    work = (await desk.as('ann').claim('pay', {})).work;
    work = await handIn(desk, work, '{"pay":3}');
    work = (await desk.as('rita').review('pay', verdictOn(work, 'REWORK'))).work;
    expect(work).toMatchObject({ status: 'OWNER_GATE', round: 4, gate: { action: 'exceed_round_limit' } });
    work = await decide('reject', 'enough');
    expect(work).toMatchObject({ status: 'CANCELLED', wait: null });
  });

  it('stays with its holder through a pause, whose time does not count', async () => {
    const work = await inProgress(desk, 'paused');
    const held = (await desk.as('otto').hold('paused', { interruptId: waitOf(work), reason: 'wait' })).work;
    expect(held).toMatchObject({
      status: 'HOLD',
      returnTo: 'IN_PROGRESS',
      holder: 'ann',
      lease: { expiresAt: null },
    });
    const on = (await desk.as('otto').resume('paused', { interruptId: waitOf(held), reason: 'on' })).work;
    expect(on).toMatchObject({ status: 'IN_PROGRESS', holder: 'ann' });
    expect(on.lease?.expiresAt).not.toBeNull();
    expect((await handIn(desk, on, '{"paused":1}')).status).toBe('VP_REVIEW');
  });

  it('is not validated on bytes that were damaged meanwhile: it is blocked and says so', async () => {
    const work = await inProgress(desk, 'damaged');
    const sha256 = await stored(desk, '{"damaged":1}');
    await writeFile(artifactFile(desk.dataDir, sha256), '{"damaged":2}');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    const answered = await desk.as('ann').submit('damaged', body);
    expect(answered.work).toMatchObject({ status: 'BLOCKED', returnTo: 'VALIDATION', notApplied: null });
    expect(answered.work.findings[0]?.message).toMatch(/damaged/);
    await writeFile(artifactFile(desk.dataDir, sha256), '{"damaged":1}');
  });
});

it('all of this leaves a ledger that proves itself', async () => {
  expect(await faults(desk)).toEqual([]);
});
