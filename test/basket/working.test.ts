import { afterEach, describe, expect, it } from 'vitest';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';
import { deliverDue, deliveryPass } from '../../src/delivery/deliver.js';

let desk: TestDesk;
afterEach(() => desk.close());

const operation = (version: string) => ({ version, sha256: version.padEnd(64, '0') });
const HOUR_ms = 3_600_000;

async function opened(more: Readonly<Record<string, unknown>> = {}) {
  const { work } = await desk.box.as('ai').recordException(exception('e-1', more));
  const { claim } = await desk.box.as('ann').claim(work.workId, {});
  return { workId: work.workId, claim };
}

const decision = (claim: { interruptId: string | null; inputVersion: number }) => ({
  interruptId: claim.interruptId,
  inputVersion: claim.inputVersion,
  decision: 'order',
  reason: 'checked',
});

describe('a case that is worked on', () => {
  it('goes to exactly one of those who claim it at once', async () => {
    desk = await deskWithPeople();
    const { work } = await desk.box.as('ai').recordException(exception('e-1'));
    const claims = await Promise.allSettled(
      ['ann', 'bob', 'cid'].map((name) => desk.box.as(name).claim(work.workId, {})),
    );
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const turnedAway = claims.flatMap((claim) =>
      claim.status === 'rejected' ? (claim.reason as { code: string }).code : [],
    );
    expect(turnedAway).toEqual(['ALREADY_CLAIMED', 'ALREADY_CLAIMED']);
  });

  it('is decided on the operation that its decider saw, or not at all', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    const { workId, claim } = await opened({ operation: operation('1') });
    const ann = desk.box.as('ann');
    await expect(ann.decideCase(workId, decision(claim))).rejects.toMatchObject({ code: 'INVALID' });
    await expect(
      ann.decideCase(workId, { ...decision(claim), operation: operation('2') }),
    ).rejects.toMatchObject({ code: 'INPUT_CHANGED' });
    const later = { operation: operation('2'), occurredAt: '2026-03-02T09:30:00Z' };
    await ai.recordException(exception('e-1', later));
    await expect(
      ann.decideCase(workId, { ...decision(claim), operation: operation('1') }),
    ).rejects.toMatchObject({ code: 'INPUT_CHANGED', details: { changes: expect.anything() as unknown } });
    const now = await ann.showCase(workId);
    const decided = await ann.decideCase(workId, {
      ...decision({ interruptId: now.work.wait?.interruptId ?? '', inputVersion: 2 }),
      operation: operation('2'),
    });
    expect(decided.work.status).toBe('MERGE_READY');
  });

  it('cannot be finished from an old screen after it was given to somebody else', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    await desk.box.as('ann').release(workId, { interruptId: claim.interruptId, reason: 'not mine' });
    const next = await desk.box.as('bob').claim(workId, {});
    await expect(desk.box.as('ann').decideCase(workId, decision(claim))).rejects.toMatchObject({
      code: 'STALE_INTERRUPT',
    });
    const decided = await desk.box.as('bob').decideCase(workId, decision(next.claim));
    expect(decided.work.author).toBe('bob');
    await expect(desk.box.as('bob').decideCase(workId, decision(next.claim))).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
    });
  });

  it('is handed on with its reason, and only the new holder decides', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    const moved = await desk.box.as('op').handoff(workId, {
      interruptId: claim.interruptId,
      reason: 'bob knows this supplier',
      to: 'bob',
    });
    expect(moved.work).toMatchObject({ holder: 'bob', status: 'IN_PROGRESS' });
    const wait = { interruptId: moved.work.wait?.interruptId ?? '', inputVersion: 1 };
    await expect(desk.box.as('ann').decideCase(workId, decision(wait))).rejects.toMatchObject({
      code: 'NOT_HOLDER',
    });
    expect((await desk.box.as('bob').decideCase(workId, decision(wait))).work.status).toBe('MERGE_READY');
  });

  it('is not decided by somebody whose rights were taken after it was opened', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    await desk.box.as('owner').putPrincipal({ name: 'ann', roles: ['viewer'] });
    await expect(desk.box.as('ann').decideCase(workId, decision(claim))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await desk.box.as('owner').disablePrincipal('ann');
    await expect(desk.box.as('ann').decideCase(workId, decision(claim))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect((await desk.box.as('owner').showCase(workId)).decision).toBeNull();
  });

  it('is not decided by the party that raised it', async () => {
    desk = await deskWithPeople();
    const { work } = await desk.box.as('bob').recordException(exception('e-1'));
    await expect(claimAndDecide(desk.box, 'bob', work.workId)).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    // Nor under another actor: the principal is the same.
    await desk.box.as('owner').putPrincipal({ name: 'bob', roles: ['worker'], actor: 'another' });
    const { wait } = await desk.box.as('bob').show(work.workId);
    const seen = { interruptId: wait?.interruptId ?? null, inputVersion: 1 };
    await expect(desk.box.as('bob').decideCase(work.workId, decision(seen))).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
  });

  it('is not taken past its origin by a plain submit', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    const artifact = await desk.box.as('ann').putArtifact('{}', 'application/json');
    await expect(
      desk.box.as('ann').submit(workId, {
        interruptId: claim.interruptId,
        inputVersion: 1,
        artifact: { sha256: artifact.sha256 },
      }),
    ).rejects.toMatchObject({ code: 'ACTION_NOT_ALLOWED' });
    await expect(desk.box.as('owner').register({ kind: 'exception-case', input: {} })).rejects.toMatchObject({
      code: 'INVALID',
    });
  });

  it('waits for material with its clock standing still, and goes back to its holder when it comes', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    const until = new Date(desk.clock.now_ms + 48 * HOUR_ms).toISOString();
    const asked = await desk.box.as('ann').requestInfo(workId, {
      interruptId: claim.interruptId,
      who: 'supplier desk',
      what: 'the signed quote',
      until,
    });
    expect(asked.work).toMatchObject({ status: 'BLOCKED', holder: 'ann', lease: { expiresAt: null } });
    expect((await desk.box.as('ann').showCase(workId)).awaitingInfo).toMatchObject({
      who: 'supplier desk',
      until,
    });
    desk.clock.now_ms += 30 * HOUR_ms;
    const brought = await desk.box.as('ai').provideInfo(workId, {
      reason: 'here it is',
      evidence: [{ label: 'signed quote', body: { total: 17 } }],
    });
    expect(brought.work).toMatchObject({ status: 'IN_PROGRESS', holder: 'ann' });
    expect(Date.parse(brought.work.lease?.expiresAt ?? '')).toBeGreaterThan(desk.clock.now_ms);
    const shown = await desk.box.as('ann').showCase(workId);
    expect(shown.awaitingInfo).toBeNull();
    expect(shown.evidence.map(({ label }) => label)).toEqual(['quote', 'signed quote']);
  });

  it('goes back to its holder when nobody answers in time', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    const until = new Date(desk.clock.now_ms + HOUR_ms).toISOString();
    const question = { interruptId: claim.interruptId, who: 'nobody', what: 'anything', until };
    await desk.box.as('ann').requestInfo(workId, question);
    await deliveryPass(desk.box.desk);
    expect((await desk.box.as('ann').show(workId)).status).toBe('BLOCKED');
    desk.clock.now_ms += 2 * HOUR_ms;
    await deliveryPass(desk.box.desk);
    expect(await desk.box.as('ann').show(workId)).toMatchObject({ status: 'IN_PROGRESS', holder: 'ann' });
  });

  it('blocked again for another reason is freed neither by an old question, its time, nor its material', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    const op = desk.box.as('op');
    const until = new Date(desk.clock.now_ms + HOUR_ms).toISOString();
    const asked = await desk.box
      .as('ann')
      .requestInfo(workId, { interruptId: claim.interruptId, who: 'ai', what: 'the quote', until });
    const wait = (at: { work: { wait: { interruptId: string } | null } }) => at.work.wait?.interruptId;
    const freed = await op.unblock(workId, { interruptId: wait(asked), reason: 'told by telephone' });
    expect((await op.showCase(workId)).awaitingInfo, 'the question ended with its wait').toBeNull();
    await op.block(workId, { interruptId: wait(freed), reason: 'legal hold' });
    await expect(desk.box.as('ai').provideInfo(workId, { reason: 'here' })).rejects.toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
    desk.clock.now_ms += 2 * HOUR_ms;
    await deliveryPass(desk.box.desk);
    expect((await op.show(workId)).status).toBe('BLOCKED');
    expect((await op.basket({ view: 'awaiting_info' })).total).toBe(0);
  });

  it('keeps the material of one answer whose case goes on, and of the others says that nothing is asked', async () => {
    desk = await deskWithPeople();
    const { workId, claim } = await opened();
    const until = new Date(desk.clock.now_ms + HOUR_ms).toISOString();
    const question = { interruptId: claim.interruptId, who: 'ai', what: 'the quote', until };
    await desk.box.as('ann').requestInfo(workId, question);
    const brought = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        desk.box.as('ai').provideInfo(workId, { reason: 'here', evidence: [{ label: `of ${n}`, body: n }] }),
      ),
    );
    expect(brought.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await desk.box.as('ann').showCase(workId)).evidence, 'the quote and one answer').toHaveLength(2);
    expect((await desk.box.as('ann').show(workId)).status).toBe('IN_PROGRESS');
    expect((await desk.box.as('op').verify()).clean).toBe(true);
  });

  it('with no one on duty is passed on when it is overdue, and decided by nobody', async () => {
    desk = await deskWithPeople({
      cases: {
        classifications: { 'price-mismatch': { team: 'night', respond_ms: HOUR_ms } },
        teams: { night: { escalateTo: 'managers' } },
      },
    });
    const { work } = await desk.box.as('ai').recordException(exception('e-1'));
    expect((await desk.box.as('op').showCase('e-1')).team).toBe('night');
    desk.clock.now_ms += 2 * HOUR_ms;
    await deliveryPass(desk.box.desk);
    await deliveryPass(desk.box.desk);
    expect(await desk.box.as('op').showCase('e-1')).toMatchObject({
      team: 'managers',
      escalations: 1,
      decision: null,
      work: { status: 'READY', holder: null },
    });
    expect((await desk.box.as('op').history(work.workId)).at(-1)).toMatchObject({
      type: 'case.escalated',
      data: { from: 'night', to: 'managers' },
    });
  });

  it('loses the bodies of its evidence when their time is over, and keeps their hashes', async () => {
    desk = await deskWithPeople({ cases: { evidenceRetention_days: 1 } });
    await desk.box.as('ai').recordException(exception('e-1'));
    desk.clock.now_ms += 25 * HOUR_ms;
    await deliveryPass(desk.box.desk);
    const [item] = (await desk.box.as('ann').showCase('e-1')).evidence;
    expect(item).toMatchObject({ body: null, label: 'quote', erasedAt: expect.any(String) as string });
  });
});

describe('a work of this desk that is blocked', () => {
  const raise = async (who: string, id: string, runId = 'w-1') =>
    (await desk.box.as(who).recordException(exception(id, { origin: { system: 'signalbox', runId } }))).work
      .workId;
  const waitOf = async () => (await desk.box.as('op').show('w-1')).wait?.interruptId;
  const status = async () => (await desk.box.as('op').show('w-1')).status;
  const decide = async (workId: string) => {
    await claimAndDecide(desk.box, 'ann', workId);
    await deliverDue(desk.box.desk, {});
  };

  async function held() {
    desk = await deskWithPeople();
    const owner = desk.box.as('owner');
    await owner.register({ workId: 'w-1', input: {} });
    await owner.promote('w-1', { reason: 'go' });
    return (await desk.box.as('bob').claim('w-1', {})).claim;
  }

  it('by an operator is not freed by the case of somebody who may not free it, and its history says why', async () => {
    await held();
    await desk.box.as('op').block('w-1', { interruptId: await waitOf(), reason: 'legal hold' });
    const byScout = await raise('ai', 'e-1');
    await decide(byScout);
    await decide(await raise('bob', 'e-2'));
    expect(await status()).toBe('BLOCKED');
    expect((await desk.box.as('op').show(byScout)).status, 'its decision is told all the same').toBe('DONE');
    const notes = (await desk.box.as('op').history('w-1')).filter(({ type }) => type === 'note.added');
    expect(notes.map(({ by, data }) => [by, data['text']])).toEqual([
      ['signalbox', expect.stringContaining('op blocked it, and ai raised this case')],
      ['signalbox', expect.stringContaining('op blocked it, and bob raised this case')],
    ]);
  });

  it('by its holder, then freed and blocked by an operator, is not freed by what the holder had asked', async () => {
    const { interruptId } = await held();
    await desk.box.as('bob').block('w-1', { interruptId, reason: 'asks' });
    const asked = await raise('bob', 'e-1');
    await desk.box.as('op').unblock('w-1', { interruptId: await waitOf(), reason: 'told by telephone' });
    desk.clock.now_ms += 1;
    await desk.box.as('op').block('w-1', { interruptId: await waitOf(), reason: 'legal hold' });
    await decide(asked);
    expect(await status()).toBe('BLOCKED');
  });

  it('for two questions goes on when both are decided', async () => {
    const { interruptId } = await held();
    await desk.box.as('bob').block('w-1', { interruptId, reason: 'asks twice' });
    const [first, second] = [await raise('bob', 'e-1'), await raise('bob', 'e-2')];
    await raise('bob', 'e-3', 'w-2');
    await raise('ai', 'e-4');
    await decide(first);
    expect(await status()).toBe('BLOCKED');
    await decide(second);
    expect(await status()).toBe('IN_PROGRESS');
    expect((await desk.box.as('op').verify()).clean).toBe(true);
  });
});
