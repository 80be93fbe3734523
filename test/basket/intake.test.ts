import { afterEach, describe, expect, it } from 'vitest';
import { keepLetter } from '../../src/operations/cases/keep-letter.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';

let desk: TestDesk;
afterEach(() => desk.close());

describe('an exception that comes in', () => {
  it('is one case however often it is delivered at once, with every delivery as an observation', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    const all = await Promise.all(Array.from({ length: 50 }, () => ai.recordException(exception('e-1'))));
    expect(all.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(all.map(({ work }) => work.workId)).size).toBe(1);
    const shown = await ai.showCase('e-1');
    expect(shown).toMatchObject({ observations: 50, work: { status: 'READY', holder: null } });
    expect((await desk.box.as('owner').list({})).total).toBe(1);
  });

  it('is not merged with the same text from another run, system or tenant', async () => {
    desk = await deskWithPeople();
    const owner = desk.box.as('owner');
    await owner.putPrincipal({ name: 'else', roles: ['owner'], tenant: 'other' });
    await owner.recordException(exception('e-1'));
    await owner.recordException(exception('e-1', { origin: { system: 'ordering', runId: 'run-2' } }));
    await owner.recordException(exception('e-1', { origin: { system: 'billing', runId: 'run-1' } }));
    await owner.recordException(exception('e-2'));
    const other = await desk.box.as('else', { tenant: 'other' }).recordException(exception('e-1'));
    expect(other.outcome).toBe('created');
    expect((await owner.list({})).total).toBe(4);
    await expect(owner.showCase('e-1')).rejects.toMatchObject({ code: 'INVALID' });
    expect(await owner.showCase('e-1', { system: 'billing' })).toMatchObject({
      origin: { system: 'billing' },
    });
  });

  it('happening again is an observation or a case of its own, as its classification says', async () => {
    desk = await deskWithPeople({
      cases: { classifications: { outage: { recurrence: 'new_occurrence' } } },
    });
    const ai = desk.box.as('ai');
    const later = { occurredAt: '2026-03-02T10:00:00Z' };
    await ai.recordException(exception('e-1'));
    expect(await ai.recordException(exception('e-1', later))).toMatchObject({
      outcome: 'existing',
      case: { observations: 2 },
    });
    await ai.recordException(exception('e-2', { classification: 'outage' }));
    expect(await ai.recordException(exception('e-2', { classification: 'outage', ...later }))).toMatchObject({
      outcome: 'created',
    });
    expect(await ai.recordException(exception('e-2', { classification: 'outage' }))).toMatchObject({
      outcome: 'existing',
    });
  });

  it('with newer content is the next version, and a late redelivery of the old one does not bring it back', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    const first = await ai.recordException(exception('e-1'));
    const newer = exception('e-1', { occurredAt: '2026-03-02T09:30:00Z', impact: 'critical' });
    expect(await ai.recordException(newer)).toMatchObject({
      outcome: 'corrected',
      work: { inputVersion: 2, impact: 'critical', status: 'READY' },
    });
    expect(await ai.recordException(exception('e-1'))).toMatchObject({
      outcome: 'existing',
      work: { inputVersion: 2 },
    });
    expect(await desk.box.as('owner').versions(first.work.workId)).toHaveLength(2);
    expect((await desk.box.as('owner').verify()).clean, 'history replays to this').toBe(true);
  });

  it('with newer content of one case in a burst: everybody is answered, and the newest stands', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString();
    const order = Array.from({ length: 50 }, (_, n) => (n * 7) % 50);
    const all = await Promise.all(
      order.map((n) => ai.recordException(exception('e-1', { occurredAt: at(n), summary: `at ${n}` }))),
    );
    const [{ work } = { work: { workId: '' } }] = all;
    expect(await ai.showCase('e-1')).toMatchObject({
      observations: 50,
      occurredAt: at(49),
      work: { title: 'at 49' },
    });
    const history = await desk.box.as('op').history(work.workId);
    expect(history.filter(({ type }) => type.includes('refused'))).toEqual([]);
    expect((await desk.box.as('op').verify()).clean).toBe(true);
  });

  it('with newer content corrects a case whose decision its origin did not take, under its key once', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    const { work } = await ai.recordException(exception('e-1'));
    const decided = await claimAndDecide(desk.box, 'ann', work.workId);
    const newer = exception('e-1', { occurredAt: '2026-03-02T09:30:00Z', summary: 'newer' });
    await expect(ai.recordException(newer)).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    await desk.box.as('op').complete(work.workId, {
      interruptId: decided.work.wait?.interruptId,
      artifactSha256: decided.work.artifactSha256,
      outcome: 'conflict',
      externalId: 'none',
      evidenceRef: 'its run is gone',
    });
    const keyed = { idempotencyKey: 'k-1' };
    expect(await ai.recordException(newer, keyed)).toMatchObject({ outcome: 'corrected', replayed: false });
    expect(await ai.recordException(newer, keyed)).toMatchObject({ outcome: 'corrected', replayed: true });
    expect(await ai.showCase('e-1')).toMatchObject({ observations: 2, work: { inputVersion: 2 } });
  });

  it('with newer content is told to come again while nobody knows what was done outside', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    const { work } = await ai.recordException(exception('e-1'));
    const { claim } = await desk.box.as('ann').claim(work.workId, {});
    const { interruptId } = claim;
    await desk.box
      .as('ann')
      .intendEffect(work.workId, { interruptId, operationId: 'o-1', action: 'order', target: 'shop' });
    await desk.box.as('ann').settleEffect(work.workId, 'o-1', { outcome: 'unknown', evidenceRef: 'timeout' });
    const before = (await desk.box.as('op').history(work.workId)).length;
    const newer = exception('e-1', { occurredAt: '2026-03-02T09:30:00Z', summary: 'newer' });
    await expect(ai.recordException(newer)).rejects.toMatchObject({
      code: 'BUSY',
      details: { retryAfter_ms: expect.any(Number) as number },
    });
    expect((await desk.box.as('op').history(work.workId)).length).toBe(before);
  });

  it('is never handed out to whoever asks for any work', async () => {
    desk = await deskWithPeople();
    await desk.box.as('ai').recordException(exception('e-1'));
    expect(await desk.box.as('ann').claimNext({})).toBeNull();
    expect(await desk.box.as('ann').claimNext({ kinds: ['exception-case'] })).toMatchObject({
      work: { status: 'IN_PROGRESS', holder: 'ann' },
    });
  });

  it('shows the body of its evidence to those who work here, and to nobody in a list', async () => {
    desk = await deskWithPeople();
    const owner = desk.box.as('owner');
    await owner.putPrincipal({ name: 'guest', roles: ['viewer'] });
    await desk.box.as('ai').recordException(exception('e-1'));
    expect(JSON.stringify(await owner.list({}))).not.toContain('price is');
    expect(JSON.stringify(await desk.box.as('guest').showCase('e-1'))).not.toContain('price is');
    expect((await desk.box.as('ann').showCase('e-1')).evidence[0]?.body).toEqual({
      secret: 'the price is 17',
    });
  });

  it('is refused with BUSY while its team is full, and known cases still are observed', async () => {
    desk = await deskWithPeople({ cases: { teams: { desk: { capacity: 1 } } } });
    const ai = desk.box.as('ai');
    const { work } = await ai.recordException(exception('e-1'));
    await expect(ai.recordException(exception('e-2'))).rejects.toMatchObject({
      code: 'BUSY',
      detail: 'team desk is full: it holds 1 of 1 undecided cases',
    });
    expect(await ai.recordException(exception('e-1'))).toMatchObject({ outcome: 'existing' });
    await claimAndDecide(desk.box, 'ann', work.workId);
    expect(await ai.recordException(exception('e-2'))).toMatchObject({ outcome: 'created' });
  });

  it('does not pass by the capacity of its team by naming another', async () => {
    desk = await deskWithPeople({
      cases: {
        classifications: { outage: { team: 'night' } },
        teams: { night: { capacity: 1 }, buying: { escalateTo: 'managers' } },
      },
    });
    const ai = desk.box.as('ai');
    const raise = (who: string, id: string, classification: string, team: string) =>
      desk.box.as(who).recordException(exception(id, { classification, team }));
    await raise('ai', 'e-1', 'outage', 'night');
    for (const team of ['buying', 'nobody', 'desk'])
      await expect(raise('ai', 'e-2', 'outage', team)).rejects.toMatchObject({
        code: 'INVALID',
        details: { errors: [{ path: '/team' }] },
      });
    await expect(raise('bob', 'e-2', 'outage', 'buying')).rejects.toMatchObject({ code: 'INVALID' });
    await expect(raise('ai', 'e-2', 'outage', 'night')).rejects.toMatchObject({ code: 'BUSY' });
    await expect(raise('ai', 'e-3', 'other', 'nobody')).rejects.toMatchObject({ code: 'INVALID' });
    for (const team of ['buying', 'managers', 'desk'])
      expect((await raise('ai', `of-${team}`, 'other', team)).case.team).toBe(team);
    expect((await raise('op', 'e-2', 'outage', 'buying')).case.team).toBe('buying');
    expect(await ai.recordException(exception('e-1', { classification: 'outage' }))).toMatchObject({
      outcome: 'existing',
    });
  });

  it('waits outside while intake is paused, with who paused it and why', async () => {
    desk = await deskWithPeople();
    const ai = desk.box.as('ai');
    await ai.recordException(exception('e-1'));
    await desk.box.as('op').setSwitch({ switch: 'intake', paused: true, reason: 'stock-taking' });
    await expect(ai.recordException(exception('e-2'))).rejects.toMatchObject({
      code: 'BUSY',
      detail: expect.stringContaining('by op: stock-taking') as string,
    });
    expect(await ai.recordException(exception('e-1'))).toMatchObject({ outcome: 'existing' });
    await desk.box.as('op').setSwitch({ switch: 'intake', paused: false, reason: 'done' });
    expect(await ai.recordException(exception('e-2'))).toMatchObject({ outcome: 'created' });
    expect((await desk.box.as('op').switches()).turns).toHaveLength(2);
  });

  it('is not handed out automatically while claiming is paused, but still by name', async () => {
    desk = await deskWithPeople();
    const { work } = await desk.box.as('ai').recordException(exception('e-1'));
    await desk.box.as('op').setSwitch({ switch: 'claims', paused: true, reason: 'incident' });
    await expect(desk.box.as('ann').claimNext({ kinds: ['exception-case'] })).rejects.toMatchObject({
      code: 'BUSY',
    });
    expect(await desk.box.as('ann').claim(work.workId, {})).toMatchObject({ work: { holder: 'ann' } });
  });
});

describe('an exception that was put aside', () => {
  const asLetter = (sourceId: string, body: object) =>
    keepLetter(desk.box.desk, {
      tenant: 'default',
      source: 'intake',
      sourceId,
      reason: 'the desk was wrong',
      attempts: 5,
      body: JSON.stringify(body),
      workId: null,
    });
  const letters = async () => (await desk.box.as('op').deadLetters()).items.map((each) => each.deadLetterId);

  it.each(['MERGE_READY', 'DONE'])(
    'is not taken in again once its original is decided (%s), and leaves no trace there',
    async (status) => {
      desk = await deskWithPeople();
      const op = desk.box.as('op');
      const { work } = await desk.box.as('ai').recordException(exception('e-1'));
      await asLetter('m-1', exception('e-1'));
      await asLetter('m-2', exception('e-1', { occurredAt: '2026-03-03T00:00:00Z', summary: 'newer' }));
      const decided = await claimAndDecide(desk.box, 'ann', work.workId);
      if (status === 'DONE')
        await op.complete(work.workId, {
          interruptId: decided.work.wait?.interruptId,
          artifactSha256: decided.work.artifactSha256,
          outcome: 'merged',
          externalId: 'x',
          evidenceRef: 'x',
        });
      const before = (await op.history(work.workId)).length;
      for (const id of await letters())
        for (let again = 0; again < 2; again += 1)
          await expect(op.redrive(id, { reason: 'again' })).rejects.toMatchObject({
            code: 'ALREADY_DECIDED',
            detail: expect.stringContaining('close this letter') as string,
          });
      expect(await op.showCase(work.workId)).toMatchObject({ observations: 1, work: { status } });
      expect((await op.history(work.workId)).length).toBe(before);
      expect((await op.list({})).total).toBe(1);
      expect(await letters()).toHaveLength(2);
    },
  );

  it('is not taken in again once an effect of its original is done', async () => {
    desk = await deskWithPeople();
    const { work } = await desk.box.as('ai').recordException(exception('e-1'));
    const ann = desk.box.as('ann');
    const { interruptId } = (await ann.claim(work.workId, {})).claim;
    await ann.intendEffect(work.workId, { interruptId, operationId: 'o-1', action: 'order', target: 'shop' });
    await ann.settleEffect(work.workId, 'o-1', {
      outcome: 'confirmed',
      externalId: 'S-1',
      evidenceRef: 'mail',
    });
    await asLetter('m-1', exception('e-1'));
    const [id] = await letters();
    await expect(desk.box.as('op').redrive(id ?? '', { reason: 'again' })).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
    });
  });

  it('is taken in once however often and by whomever it is sent again, and closed once under its key', async () => {
    desk = await deskWithPeople();
    const op = desk.box.as('op');
    await asLetter('m-1', { ...exception('e-1'), occurredAt: 'yesterday' });
    const [id = ''] = await letters();
    await expect(op.redrive(id, { reason: 'again' })).rejects.toMatchObject({ code: 'INVALID' });
    const keyed = { idempotencyKey: 'k-1' };
    const fixed = { reason: 'fixed', body: exception('e-1') };
    const all = await Promise.all(Array.from({ length: 8 }, () => op.redrive(id, fixed, keyed)));
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(all.map((each) => each.deadLetter.settledAt)).size).toBe(1);
    await expect(op.redrive(id, { reason: 'fixed' })).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    await expect(op.redrive(id, { ...fixed, reason: 'other' }, keyed)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(await op.showCase('e-1')).toMatchObject({ observations: 1 });
    await asLetter('m-2', exception('e-2'));
    const [other = ''] = await letters();
    const closing = { idempotencyKey: 'k-2' };
    const first = await op.closeDeadLetter(other, { reason: 'not ours' }, closing);
    expect(await op.closeDeadLetter(other, { reason: 'not ours' }, closing)).toEqual({
      ...first,
      replayed: true,
    });
    expect((await desk.box.as('owner').verify()).clean).toBe(true);
  });
});
