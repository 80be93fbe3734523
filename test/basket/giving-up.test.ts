import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliverDue } from '../../src/delivery/deliver.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';
import { originServer, type OriginServer } from './origin-server.js';

const SECRET = `whsec_${Buffer.from('a secret of the test desk').toString('base64')}`;

let origin: OriginServer;
let desk: TestDesk;
let workId: string;
let letterId: string;

/** A decision that its origin will never take. */
beforeEach(async () => {
  origin = await originServer(SECRET);
  origin.mood = 410;
  desk = await deskWithPeople({
    cases: { origins: { ordering: { type: 'webhook', url: origin.url, secretEnv: 'ORIGIN_SECRET' } } },
  });
  const { work } = await desk.box.as('ai').recordException(exception('e-1'));
  workId = work.workId;
  await claimAndDecide(desk.box, 'ann', workId);
  await deliverDue(desk.box.desk, { ORIGIN_SECRET: SECRET });
  letterId = (await desk.box.as('op').deadLetters()).items[0]?.deadLetterId ?? '';
});
afterEach(async () => {
  await desk.close();
  await origin.close();
});

const status = async () => (await desk.box.as('op').show(workId)).status;

describe('a dead letter of a delivery, closed,', () => {
  it('ends its case, so that nothing waits for it and newer content is taken', async () => {
    const op = desk.box.as('op');
    await op.closeDeadLetter(letterId, { reason: 'the shop is gone' });
    expect(await status()).toBe('CANCELLED');
    expect((await op.basket({ view: 'not_applied' })).total).toBe(0);
    const newer = exception('e-1', { occurredAt: '2026-03-02T08:59:30Z', summary: 'newer' });
    expect((await desk.box.as('ai').recordException(newer)).outcome).toBe('follow_up');
    expect((await desk.box.as('owner').verify()).clean).toBe(true);
  });

  it('goes on where a process ended between its steps', async () => {
    const op = desk.box.as('op');
    const { wait } = await op.show(workId);
    await op.hold(workId, { interruptId: wait?.interruptId, reason: 'its decision is not told any more' });
    await op.closeDeadLetter(letterId, { reason: 'the shop is gone' });
    expect(await status()).toBe('CANCELLED');
    expect((await op.deadLetters()).total).toBe(0);
  });

  it('is refused and stays open where its case has other trouble', async () => {
    const op = desk.box.as('op');
    const { wait } = await op.show(workId);
    await op.escalate(workId, { interruptId: wait?.interruptId, action: 'pay', reason: 'above the limit' });
    await expect(op.closeDeadLetter(letterId, { reason: 'no' })).rejects.toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
    expect((await op.deadLetters()).total).toBe(1);
  });

  it('leaves a case alone that is decided anew, or was completed by hand', async () => {
    const op = desk.box.as('op');
    const { wait, artifactSha256 } = await op.show(workId);
    const report = {
      interruptId: wait?.interruptId,
      artifactSha256,
      externalId: 'c-1',
      evidenceRef: 'call 1',
    };
    await op.complete(workId, { ...report, outcome: 'conflict' });
    await op.closeDeadLetter(letterId, { reason: 'decided anew' });
    expect(await status()).toBe('REWORK');
  });
});
