import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import {
  completionOf,
  deskBox,
  faults,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';
import type { WorkView } from '../../src/operations/views.js';

const pay = { completion: 'pay', ownerOnly: ['pay'], effects: ['pay', 'mail'] } as const;
const payment = defineKind({ name: 'payment', ...pay, approvals: 2 });
const single = defineKind({ name: 'single', ...pay, effects: ['pay', 'charge'] });
const brief = defineKind({ name: 'brief', lease: { lease_ms: 200 } });
const plain = defineKind({ name: 'plain', effects: ['mail'] });

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false, kinds: [payment, single, plain, brief] });
  for (const name of ['olga', 'olaf']) await desk.owner.putPrincipal({ name, roles: ['owner'] });
  await desk.owner.putPrincipal({ name: 'olga-too', actor: 'olga', roles: ['owner'] });
});
afterAll(() => desk.close());

async function claimed(workId: string, kind = 'plain', holder = 'ann'): Promise<WorkView> {
  await desk.owner.register({ kind, workId, input: { v: 1 } });
  await desk.owner.promote(workId, { reason: 'go' });
  return (await desk.as(holder).claim(workId, {})).work;
}

const result = (work: WorkView, sha256: string) => ({
  interruptId: waitOf(work),
  inputVersion: work.inputVersion,
  artifact: { sha256 },
});

async function handedIn(workId: string, kind: string): Promise<WorkView> {
  const work = await claimed(workId, kind);
  const sha256 = await stored(desk, `{"of":"${workId}"}`);
  return (await desk.as('ann').submit(workId, result(work, sha256))).work;
}

const approve = (work: WorkView) => ({
  interruptId: waitOf(work),
  artifactSha256: work.artifactSha256,
  action: work.gate?.action,
  decision: 'approve',
  reason: 'fine',
});

describe('a work that changes hands', () => {
  it('carries what is done and left to a named holder, and retires the old interrupt ID at once', async () => {
    const work = await claimed('w1');
    const body = {
      interruptId: waitOf(work),
      reason: 'needs a lawyer',
      cause: 'expertise',
      to: 'bob',
      itemsDone: ['a'],
      itemsLeft: ['b'],
      note: 'see the second page',
    };
    await expect(desk.as('ann').handoff('w1', { ...body, to: 'rita' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(desk.as('bob').handoff('w1', body)).rejects.toMatchObject({ code: 'NOT_HOLDER' });
    const handed = (await desk.as('ann').handoff('w1', body)).work;
    expect(handed).toMatchObject({ status: 'IN_PROGRESS', holder: 'bob', reassignments: 1, round: 1 });
    expect(waitOf(handed)).not.toBe(waitOf(work));
    expect((await desk.owner.handoffs('w1')).at(-1)).toMatchObject({
      from: 'ann',
      to: 'bob',
      cause: 'expertise',
      itemsDone: ['a'],
      itemsLeft: ['b'],
      note: 'see the second page',
    });
    const late = desk.as('ann').renew('w1', { interruptId: waitOf(work) });
    await expect(late).rejects.toMatchObject({ code: 'NOT_HOLDER', details: { holder: 'bob' } });
  });

  it('offers the late result of the former holder to the next, who adopts it with a reason', async () => {
    const work = await claimed('w2');
    const sha256 = await stored(desk, '{"late":1}');
    const handed = (
      await desk.as('otto').handoff('w2', { interruptId: waitOf(work), reason: 'ill', to: 'bob' })
    ).work;
    await expect(desk.as('ann').submit('w2', result(work, sha256))).rejects.toMatchObject({
      code: 'STALE_INTERRUPT',
    });
    const kept = (await desk.owner.receipts('w2')).find(({ outcome }) => outcome === 'reference');
    const adoption = { interruptId: waitOf(handed), inputVersion: 1, adopts: kept?.receiptId };
    await expect(desk.as('bob').submit('w2', adoption)).rejects.toMatchObject({
      code: 'INVALID',
      details: { errors: [{ path: '/notes' }] },
    });
    // It is a result of this work and of no other.
    const elsewhere = {
      interruptId: waitOf(await claimed('w2-other')),
      inputVersion: 1,
      notes: 'looks alike',
    };
    await expect(
      desk.as('ann').submit('w2-other', { ...elsewhere, adopts: kept?.receiptId }),
    ).rejects.toMatchObject({ code: 'INVALID', details: { errors: [{ path: '/adopts' }] } });
    const { receipt, work: adopted } = await desk
      .as('bob')
      .submit('w2', { ...adoption, notes: 'it is whole' });
    expect(adopted).toMatchObject({ status: 'VP_REVIEW', artifactSha256: sha256 });
    expect(receipt.submission).toMatchObject({ adopts: kept?.receiptId, notes: 'it is whole' });
    // Neither who wrote it nor who took it over may judge it.
    await desk.owner.putPrincipal({ name: 'bob-reviews', actor: 'bob', roles: ['reviewer'] });
    for (const name of ['ann-reviews', 'bob-reviews']) {
      const verdict = desk.as(name).review('w2', verdictOn(adopted, 'PASS'));
      await expect(verdict).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    }
    expect((await desk.as('rita').review('w2', verdictOn(adopted, 'PASS'))).work.status).toBe('MERGE_READY');
  });

  it('records which result was taken where two disagree, and adopts none for another input version', async () => {
    const work = await claimed('w3');
    const late = await stored(desk, '{"late":3}');
    const handed = (
      await desk.as('otto').handoff('w3', { interruptId: waitOf(work), reason: 'ill', to: 'bob' })
    ).work;
    await expect(desk.as('ann').submit('w3', result(work, late))).rejects.toMatchObject({
      code: 'STALE_INTERRUPT',
    });
    const [kept] = (await desk.owner.receipts('w3')).filter(({ outcome }) => outcome === 'reference');
    const own = await stored(desk, '{"own":3}', 'bob');
    await desk.as('bob').submit('w3', { ...result(handed, own), notes: 'recounted' });
    const chosen = (await desk.owner.history('w3')).findLast(
      ({ type, data }) => type === 'submission.accepted' && data['action'] === 'result',
    );
    expect(chosen?.data).toMatchObject({ disagreesWith: [kept?.receiptId], choiceReason: 'recounted' });
    const input = { v: 2 };
    await desk.owner.register({ kind: 'plain', workId: 'w3', input, correction: { reason: 'wrong' } });
    const again = (await desk.as('bob').claim('w3', {})).claim;
    expect(again).toMatchObject({ inputVersion: 2, references: [] });
    const old = {
      interruptId: again.interruptId,
      inputVersion: 2,
      adopts: kept?.receiptId,
      notes: 'why not',
    };
    await expect(desk.as('bob').submit('w3', old)).rejects.toMatchObject({ code: 'INVALID' });
  });

  it('is not judged by whoever really sent the result in another name', async () => {
    await desk.owner.putPrincipal({ name: 'oscar', roles: ['operator', 'reviewer'] });
    const work = await claimed('w4');
    const sha256 = await stored(desk, '{"sent":4}');
    const onBehalfOf = { principal: 'ann', reason: 'her laptop is broken' };
    const sent = desk.box.as('oscar', { onBehalfOf });
    const handed = (await sent.submit('w4', result(work, sha256))).work;
    expect(handed).toMatchObject({ status: 'VP_REVIEW', author: 'ann' });
    await expect(desk.as('oscar').review('w4', verdictOn(handed, 'PASS'))).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
  });

  it('is not judged by whoever sent a late result in another name, though an investigation took it up', async () => {
    await desk.owner.putPrincipal({ name: 'oda', roles: ['operator', 'reviewer'] });
    const work = await claimed('w5', 'brief');
    const sha256 = await stored(desk, '{"sent":5}');
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(work.lease?.expiresAt ?? ''));
    const sent = desk.box.as('oda', { onBehalfOf: { principal: 'ann', reason: 'her laptop is broken' } });
    await expect(sent.submit('w5', result(work, sha256))).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
    const [kept] = (await desk.owner.receipts('w5')).filter(({ outcome }) => outcome === 'reference');
    const body = { finding: 'result_found', evidenceRef: 'receipt', adopts: kept?.receiptId };
    const { receipt, work: found } = await desk.as('otto').investigate('w5', body);
    expect(receipt).toMatchObject({ action: 'investigate', artifactSha256: sha256 });
    expect(found).toMatchObject({ status: 'VP_REVIEW', author: 'ann' });
    await expect(desk.as('oda').review('w5', verdictOn(found, 'PASS'))).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
  });
});

describe('an owner gate that asks for two', () => {
  it('opens for two actors, not for one by two names nor in two names, and its approvals end with it', async () => {
    const handed = await handedIn('p1', 'payment');
    const gate = (await desk.as('rita').review('p1', verdictOn(handed, 'PASS'))).work;
    expect(gate.status).toBe('OWNER_GATE');
    await expect(desk.as('otto').decide('p1', approve(gate))).rejects.toMatchObject({ code: 'OWNER_ONLY' });
    const first = await desk.as('olga').decide('p1', approve(gate));
    expect(first.work).toMatchObject({ status: 'OWNER_GATE', wait: { interruptId: waitOf(gate) } });
    expect(first.receipt).toMatchObject({ outcome: 'accepted', artifactSha256: gate.artifactSha256 });
    const onBehalfOf = { principal: 'olaf', reason: 'he said so' };
    for (const again of [desk.as('olga'), desk.as('olga-too'), desk.box.as('olga', { onBehalfOf })])
      await expect(again.decide('p1', approve(gate))).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    const opened = (await desk.as('olaf').decide('p1', approve(gate))).work;
    expect(opened.status).toBe('MERGE_READY');
    // A correction voids it: the next artifact needs two approvals of its own.
    const input = { v: 2 };
    await desk.owner.register({ kind: 'payment', workId: 'p1', input, correction: { reason: 'amount' } });
    const again = (await desk.as('ann').claim('p1', {})).work;
    const sha256 = await stored(desk, '{"second":1}');
    const second = (await desk.as('ann').submit('p1', result(again, sha256))).work;
    const regate = (await desk.as('rita').review('p1', verdictOn(second, 'PASS'))).work;
    expect((await desk.as('olaf').decide('p1', approve(regate))).work.status).toBe('OWNER_GATE');
    await expect(desk.as('olga').decide('p1', approve(gate))).rejects.toMatchObject({ status: 409 });
    expect((await desk.as('olga').decide('p1', approve(regate))).work.status).toBe('MERGE_READY');
  });
});

describe('an action that only an owner may allow', () => {
  it('is put before the owner, allowed for this artifact, and voids what was allowed before', async () => {
    const handed = await handedIn('e1', 'single');
    const gate = (await desk.as('rita').review('e1', verdictOn(handed, 'PASS'))).work;
    const ready = (await desk.as('olga').decide('e1', approve(gate))).work;
    expect(ready.status).toBe('MERGE_READY');
    const charge = { interruptId: waitOf(ready), operationId: 'fee-1', action: 'charge', target: 'bank' };
    await expect(desk.as('ann').intendEffect('e1', charge)).rejects.toMatchObject({ code: 'OWNER_ONLY' });
    const asked = { interruptId: waitOf(ready), action: 'charge', reason: 'the bank takes a fee' };
    await expect(desk.as('ann').escalate('e1', asked)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const second = (await desk.as('otto').escalate('e1', asked)).work;
    expect(second).toMatchObject({ status: 'OWNER_GATE', gate: { action: 'charge', from: 'MERGE_READY' } });
    const allowed = (await desk.as('olga').decide('e1', approve(second))).work;
    const again = { ...charge, interruptId: waitOf(allowed) };
    expect((await desk.as('ann').intendEffect('e1', again)).goAhead).toBe(true);
    const sent = { outcome: 'confirmed', externalId: 'fee-77', evidenceRef: 'statement:3' };
    await desk.as('ann').settleEffect('e1', 'fee-1', sent);
    // Paying was allowed before the charge was asked about: that approval is gone.
    await expect(desk.owner.complete('e1', completionOf(allowed))).rejects.toMatchObject({
      code: 'OWNER_ONLY',
    });
    const paying = { interruptId: waitOf(allowed), action: 'pay', reason: 'once more' };
    const third = (await desk.as('otto').escalate('e1', paying)).work;
    const last = (await desk.as('olga').decide('e1', approve(third))).work;
    expect((await desk.owner.complete('e1', completionOf(last))).work.status).toBe('OBSERVING');
  });
});

describe('each stage', () => {
  it('records the version and the hash of the result that it judged', async () => {
    const handed = await handedIn('s1', 'plain');
    const passed = (await desk.as('rita').review('s1', verdictOn(handed, 'PASS'))).work;
    const merged = (await desk.owner.complete('s1', completionOf(passed))).work;
    expect(merged.status).toBe('OBSERVING');
    const seen = { interruptId: waitOf(merged), outcome: 'ok', evidenceRef: 'dashboard:1' };
    const observed = (await desk.as('rita').observe('s1', seen)).work;
    const done = (await desk.owner.asset('s1', { interruptId: waitOf(observed), assetRef: 'kb:1' })).work;
    expect(done.status).toBe('DONE');
    const judged = (await desk.owner.receipts('s1')).filter(({ action }) =>
      ['review', 'complete', 'observe', 'asset'].includes(action),
    );
    expect(judged.map(({ inputVersion, artifactSha256 }) => ({ inputVersion, artifactSha256 }))).toEqual(
      Array.from({ length: 4 }, () => ({ inputVersion: 1, artifactSha256: handed.artifactSha256 })),
    );
  });

  it('can be reserved, so that two people do not judge the same; advice is anybody’s', async () => {
    const handed = await handedIn('s2', 'plain');
    await desk.as('rita').claim('s2', {});
    await expect(desk.as('rob').claim('s2', {})).rejects.toMatchObject({ code: 'ALREADY_CLAIMED' });
    await expect(desk.as('rob').review('s2', verdictOn(handed, 'PASS'))).rejects.toMatchObject({
      code: 'NOT_HOLDER',
    });
    const note = await desk.as('vic').note('s2', { text: 'the third line looks odd' });
    expect(note).toMatchObject({ by: 'vic', text: 'the third line looks odd' });
    const now = await desk.owner.show('s2');
    expect(now).toMatchObject({ status: 'VP_REVIEW', holder: 'rita', wait: { interruptId: waitOf(handed) } });
    expect((await desk.as('rita').review('s2', verdictOn(handed, 'PASS'))).work.status).toBe('MERGE_READY');
  });

  it('leaves a ledger that proves itself', async () => {
    expect(await faults(desk)).toEqual([]);
  });
});
