import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import { LIMITS } from '../../src/core/limits.js';
import { doorFor } from '../../src/operations/door.js';
import { recoverPending } from '../../src/operations/recover.js';
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

const mailing = defineKind({
  name: 'mailing',
  effects: ['mail', 'pay'],
  skips: ['OBSERVING', 'ASSET_GATE'],
});

let desk: DeskBox;
beforeEach(async () => {
  desk = await deskBox({ recover: false, kinds: [mailing] });
});
afterEach(() => desk.close());

async function claimed(workId: string, input: object = { v: 1 }): Promise<WorkView> {
  await desk.owner.register({ kind: 'mailing', workId, input });
  await desk.owner.promote(workId, { reason: 'go' });
  return (await desk.as('ann').claim(workId, {})).work;
}

const result = async (work: WorkView) => ({
  interruptId: waitOf(work),
  inputVersion: work.inputVersion,
  artifact: { sha256: await stored(desk, `{"of":"${work.workId}"}`) },
});

const mail = (work: WorkView, operationId = 'mail-1') => ({
  interruptId: waitOf(work),
  operationId,
  action: 'mail',
  target: 'supplier@example.org',
});

describe('an effect outside', () => {
  it('gets one go-ahead; asked again, also by the next holder, it gets what is known', async () => {
    const work = await claimed('w');
    expect(await desk.as('ann').intendEffect('w', mail(work))).toMatchObject({
      goAhead: true,
      effect: { outcome: 'intended' },
    });
    expect((await desk.as('ann').intendEffect('w', mail(work))).goAhead).toBe(false);
    const other = desk.as('ann').intendEffect('w', { ...mail(work), target: 'somebody@example.org' });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const sent = { outcome: 'confirmed', externalId: 'msg-9', evidenceRef: 'smtp:250' };
    await expect(desk.as('bob').settleEffect('w', 'mail-1', sent)).rejects.toMatchObject({
      code: 'NOT_HOLDER',
    });
    await desk.as('ann').settleEffect('w', 'mail-1', sent);
    // What is known stays: neither a failure nor a doubt takes its place.
    for (const outcome of ['failed', 'unknown'])
      await expect(
        desk.as('ann').settleEffect('w', 'mail-1', { outcome, evidenceRef: 'smtp:550' }),
      ).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    await desk.as('ann').release('w', { interruptId: waitOf(work), reason: 'tired' });
    const next = await desk.as('bob').claim('w', {});
    expect(next.claim.handoff?.effects).toMatchObject([{ operationId: 'mail-1', outcome: 'confirmed' }]);
    expect(await desk.as('bob').intendEffect('w', mail(next.work))).toMatchObject({
      goAhead: false,
      effect: { outcome: 'confirmed', externalId: 'msg-9' },
    });
  });

  it('that only an owner may allow is refused without an approval for this artifact', async () => {
    const work = await claimed('w');
    const charge = { ...mail(work), action: 'charge' };
    await expect(desk.as('ann').intendEffect('w', charge)).rejects.toMatchObject({ code: 'OWNER_ONLY' });
  });

  it('of unknown outcome is neither handed in nor handed on: the work waits for evidence', async () => {
    const work = await claimed('w');
    await desk.as('ann').intendEffect('w', mail(work));
    await expect(desk.as('ann').submit('w', await result(work))).rejects.toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
    const handoff = { interruptId: waitOf(work), reason: 'ill', to: 'bob' };
    const unknown = (await desk.as('otto').handoff('w', handoff)).work;
    expect(unknown).toMatchObject({ status: 'OUTCOME_UNKNOWN', holder: null });
    expect((await desk.owner.handoffs('w')).at(-1)).toMatchObject({ from: 'ann', to: null });
    await expect(desk.as('bob').claim('w', {})).rejects.toMatchObject({ code: 'ACTION_NOT_ALLOWED' });
    const asked = { interruptId: waitOf(unknown), evidenceRef: 'mailbox:asked' };
    const still = await desk.as('otto').reconcile('w', { ...asked, finding: 'still_unknown' });
    expect(still.work).toMatchObject({ status: 'OUTCOME_UNKNOWN', wait: { interruptId: waitOf(unknown) } });
    expect(still.receipt.outcome).toBe('accepted');
    const did = { ...asked, finding: 'happened', externalId: 'msg-9' };
    expect((await desk.as('otto').reconcile('w', did)).work.status).toBe('READY');
    expect((await desk.owner.show('w')).effects).toMatchObject([
      { outcome: 'confirmed', externalId: 'msg-9' },
    ]);
    expect(await faults(desk)).toEqual([]);
  });

  it('whose outcome its holder does not know stops the work at once', async () => {
    const work = await claimed('w');
    await desk.as('ann').intendEffect('w', mail(work));
    await desk.as('ann').settleEffect('w', 'mail-1', { outcome: 'unknown', evidenceRef: 'timeout' });
    expect((await desk.owner.show('w')).status).toBe('OUTCOME_UNKNOWN');
  });

  it('that completes a work has one go-ahead, whatever the operation is called, until it failed', async () => {
    const handed = (await desk.as('ann').submit('w', await result(await claimed('w')))).work;
    const ready = (await desk.as('rita').review('w', verdictOn(handed, 'PASS'))).work;
    const complete = (operationId: string) => ({ ...mail(ready, operationId), action: 'complete' });
    expect((await desk.as('ann').intendEffect('w', complete('c-1'))).goAhead).toBe(true);
    const again = () => desk.as('bob').intendEffect('w', complete('c-2'));
    await expect(again()).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    await desk.as('ann').settleEffect('w', 'c-1', { outcome: 'failed', evidenceRef: 'log:refused' });
    expect((await again()).goAhead).toBe(true);
    await desk
      .as('bob')
      .settleEffect('w', 'c-2', { outcome: 'confirmed', externalId: 'x', evidenceRef: 'e' });
    const third = desk.as('ann').intendEffect('w', complete('c-3'));
    await expect(third).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
  });

  it('may be the completion itself: unknown is reconciled onward or back', async () => {
    const handed = (await desk.as('ann').submit('w', await result(await claimed('w')))).work;
    const passed = (await desk.as('rita').review('w', verdictOn(handed, 'PASS'))).work;
    const { externalId, ...completion } = completionOf(passed);
    expect(externalId).toBe('ext-1');
    const unknown = (await desk.owner.complete('w', { ...completion, outcome: 'unknown' })).work;
    expect(unknown.status).toBe('OUTCOME_UNKNOWN');
    const found = { interruptId: waitOf(unknown), finding: 'happened', evidenceRef: 'registry:7' };
    await expect(desk.as('otto').reconcile('w', found)).rejects.toMatchObject({ code: 'INVALID' });
    const done = (await desk.as('otto').reconcile('w', { ...found, externalId: 'reg-7' })).work;
    expect(done).toMatchObject({ status: 'DONE', externalId: 'reg-7' });
  });
});

describe('a correction', () => {
  const first = { lines: { a: 1, b: 2 }, due: 'may' };
  const second = { due: 'may', lines: { b: 3, a: 1 } };
  const again = (input: object, reason = 'b was wrong') =>
    desk.owner.register({ kind: 'mailing', workId: 'w', input, correction: { reason } });

  it('names what changed and what can be kept, to the holder and to the next one', async () => {
    const work = await claimed('w', first);
    const itemsDone = ['/lines/a', '/lines/b', '/due'];
    await desk.as('ann').renew('w', { interruptId: waitOf(work), progress: { itemsDone } });
    expect((await again(second)).work).toMatchObject({
      status: 'IN_PROGRESS',
      holder: 'ann',
      inputVersion: 2,
    });
    const changed = {
      code: 'INPUT_CHANGED',
      details: { changes: [{ path: '/lines/b', before: 2, after: 3 }], kept: ['/lines/a', '/due'] },
    };
    await expect(desk.as('ann').renew('w', { interruptId: waitOf(work) })).rejects.toMatchObject(changed);
    const old = { ...(await result(work)), items: itemsDone };
    await expect(desk.as('ann').submit('w', old)).rejects.toMatchObject(changed);
  });

  it('tells the next holder which finished items still stand', async () => {
    const work = await claimed('w', first);
    const itemsDone = ['/lines/a', '/lines/b'];
    await desk.as('ann').release('w', { interruptId: waitOf(work), reason: 'tired', itemsDone });
    await again(second);
    const { claim } = await desk.as('bob').claim('w', {});
    expect(claim.handoff).toMatchObject({ itemsDone, itemsKept: ['/lines/a'] });
  });

  it('with the same content in another order is none', async () => {
    await claimed('w', first);
    const same = { lines: { b: 2.0, a: 1 }, due: 'may' };
    expect(await again(same)).toMatchObject({ outcome: 'existing', work: { inputVersion: 1 } });
  });

  it('after DONE opens a work of its own that links back', async () => {
    const handed = (await desk.as('ann').submit('w', await result(await claimed('w', first)))).work;
    const passed = (await desk.as('rita').review('w', verdictOn(handed, 'PASS'))).work;
    await desk.owner.complete('w', completionOf(passed));
    const { outcome, work } = await again(second);
    expect({ outcome, follows: work.follows, status: work.status }).toEqual({
      outcome: 'follow_up',
      follows: 'w',
      status: 'DISCOVERED',
    });
    expect((await desk.owner.show('w')).status).toBe('DONE');
  });
});

describe('an accepted answer that cannot be brought to its thread', () => {
  it('is tried so often, then left to an operator, who sees it and has it tried again', async () => {
    const work = await claimed('w');
    const body = await result(work);
    // Accepted by a process that stops before it applies anything.
    const stopped = { ...desk.box.desk, appliers: { apply: () => Promise.resolve() } };
    const accepted = await doorFor(stopped, { tenant: 'default', principal: 'ann' }).submit('w', body);
    expect(accepted.receipt.applied).toBe(false);
    // Its kind is gone from the configuration, so its thread cannot go on.
    await desk.reopen({ recover: false, kinds: [] });
    for (let attempt = 0; attempt < LIMITS.applyAttempts; attempt += 1)
      await expect(desk.box.desk.appliers.apply('default', 'w')).rejects.toThrow('no kind');
    expect((await desk.owner.show('w')).notApplied).toMatchObject({ attempts: LIMITS.applyAttempts });
    await desk.reopen({ recover: false, kinds: [mailing] });
    expect(await recoverPending(desk.box.desk)).toBe(0);
    const reason = { reason: 'the kind is declared again' };
    await expect(desk.as('ann').retryApply('w', reason)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const { receipt, work: applied } = await desk.as('otto').retryApply('w', reason);
    expect(receipt).toMatchObject({ receiptId: accepted.receipt.receiptId, applied: true });
    expect(applied).toMatchObject({ status: 'VP_REVIEW', notApplied: null });
    await expect(desk.as('otto').retryApply('w', reason)).rejects.toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
    expect(await faults(desk)).toEqual([]);
  });
});
