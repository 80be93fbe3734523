import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import { deskBox, faults, waitOf, type DeskBox } from '../support/desk-box.js';
import type { WorkView } from '../../src/operations/views.js';

const mailing = defineKind({ name: 'mailing', effects: ['mail', 'pay'] });

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false, kinds: [mailing] });
});
afterAll(() => desk.close());

/** Ann holds it and has a go-ahead for each operation. */
async function announced(workId: string, ...operations: readonly string[]): Promise<WorkView> {
  await desk.owner.register({ kind: 'mailing', workId, input: {} });
  await desk.owner.promote(workId, { reason: 'go' });
  const { work } = await desk.as('ann').claim(workId, {});
  for (const operationId of operations)
    await desk.as('ann').intendEffect(workId, {
      interruptId: waitOf(work),
      operationId,
      action: 'mail',
      target: 'supplier@example.org',
    });
  return work;
}

const confirmed = (externalId: string) => ({ outcome: 'confirmed', externalId, evidenceRef: 'smtp:250' });
const unknown = { outcome: 'unknown', evidenceRef: 'timeout' };

/** In doubt about its first operation. */
async function inDoubt(workId: string, first: string, ...more: readonly string[]): Promise<string> {
  await announced(workId, first, ...more);
  await desk.as('ann').settleEffect(workId, first, unknown);
  const work = await desk.owner.show(workId);
  expect(work.status).toBe('OUTCOME_UNKNOWN');
  return waitOf(work);
}

const reconcile = (workId: string, interruptId: string, finding: string, externalId?: string) =>
  desk.as('otto').reconcile(workId, {
    interruptId,
    finding,
    evidenceRef: 'mailbox:asked',
    ...(externalId === undefined ? {} : { externalId }),
  });

describe('a report against what is on record of an effect', () => {
  it('is turned away and kept: the same under another external ID may have been done twice', async () => {
    await announced('twice', 'twice-1');
    const settle = (report: object) => desk.as('ann').settleEffect('twice', 'twice-1', report);
    await settle(confirmed('X1'));
    // The same again, also by somebody who does not know the name of it.
    expect((await settle(confirmed('X1'))).effect.externalId).toBe('X1');
    await settle({ outcome: 'confirmed', evidenceRef: 'smtp:250' });
    await expect(settle(confirmed('X2'))).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    await expect(settle({ outcome: 'failed', evidenceRef: 'smtp:550' })).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
    });
    const kept = (await desk.owner.history('twice')).filter(({ type }) => type === 'effect.disputed');
    expect(kept.map(({ by, data }) => ({ by, data }))).toMatchObject([
      { by: 'ann', data: { externalId: 'X2', onRecord: { outcome: 'confirmed', externalId: 'X1' } } },
      { by: 'ann', data: { outcome: 'failed', evidenceRef: 'smtp:550' } },
    ]);
    expect((await desk.owner.show('twice')).effects).toMatchObject([{ externalId: 'X1' }]);
  });

  it('is kept too where a finding of people was faster', async () => {
    const wait = await inDoubt('faster', 'faster-1');
    await reconcile('faster', wait, 'happened', 'R1');
    const late = desk.as('ann').settleEffect('faster', 'faster-1', confirmed('R3'));
    await expect(late).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
    const kept = (await desk.owner.history('faster')).at(-1);
    expect(kept).toMatchObject({ type: 'effect.disputed', data: { externalId: 'R3' } });
  });
});

describe('a finding about a work of unknown outcome', () => {
  it('does not go against an effect that was confirmed meanwhile', async () => {
    const wait = await inDoubt('done', 'done-1');
    await desk.as('ann').settleEffect('done', 'done-1', confirmed('DONE1'));
    for (const [finding, externalId] of [
      ['did_not_happen', undefined],
      ['happened', 'OTHER'],
    ] as const)
      await expect(reconcile('done', wait, finding, externalId)).rejects.toMatchObject({
        code: 'ALREADY_DECIDED',
        details: { current: { status: 'OUTCOME_UNKNOWN' } },
      });
    expect((await reconcile('done', wait, 'happened', 'DONE1')).work.status).toBe('READY');
  });

  it('does not go against an effect that failed meanwhile', async () => {
    const wait = await inDoubt('failed', 'failed-1');
    await desk.as('ann').settleEffect('failed', 'failed-1', { outcome: 'failed', evidenceRef: 'smtp:550' });
    await expect(reconcile('failed', wait, 'happened', 'OTHER')).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
    });
    expect((await reconcile('failed', wait, 'did_not_happen')).work.status).toBe('READY');
  });

  it('is free of what was known before the doubt, and settles what is open', async () => {
    const work = await announced('before', 'before-1', 'before-2', 'before-3');
    await desk.as('ann').settleEffect('before', 'before-1', confirmed('B1'));
    await desk.as('otto').handoff('before', { interruptId: waitOf(work), reason: 'ill', to: 'bob' });
    const wait = waitOf(await desk.owner.show('before'));
    expect((await reconcile('before', wait, 'did_not_happen')).work.status).toBe('READY');
    const { effects } = await desk.owner.show('before');
    expect(effects.map(({ outcome }) => outcome)).toEqual(['confirmed', 'failed', 'failed']);
  });

  it('of two at once one counts, and the ledger shows both', async () => {
    for (const name of ['race-a', 'race-b', 'race-c']) {
      const wait = await inDoubt(name, `${name}-1`);
      const answers = await Promise.allSettled([
        reconcile(name, wait, 'did_not_happen'),
        desk.as('ann').settleEffect(name, `${name}-1`, confirmed('R3')),
      ]);
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { effects, status } = await desk.owner.show(name);
      expect(effects[0]?.outcome === 'confirmed' ? status : 'READY').toBe(
        effects[0]?.outcome === 'confirmed' ? 'OUTCOME_UNKNOWN' : 'READY',
      );
      expect(JSON.stringify(await desk.owner.history(name))).toContain('R3');
    }
    expect(await faults(desk)).toEqual([]);
  });
});
