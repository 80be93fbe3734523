import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.js';
import { flowByDay } from '../../src/operations/basket/flow.js';
import { statusNumbers } from '../../src/operations/basket/status-numbers.js';
import { closeSession, openSession, sessionOf } from '../../src/operations/sessions.js';
import { deskBox, type DeskBox } from '../support/desk-box.js';

const NOON_ms = Date.parse('2030-05-20T12:00:00Z');
let now_ms = NOON_ms;
let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false, now_ms: () => now_ms });
});
afterAll(() => desk.close());

const owner = { tenant: 'default', principal: 'owner' };

describe('browser sessions', () => {
  it('live while they are used, up to a limit, and end when they are not, or are closed', async () => {
    const inside = desk.box.desk;
    const used = await openSession(inside, owner);
    const idle = await openSession(inside, owner);
    const closed = await openSession(inside, owner);
    expect((await sessionOf(inside, used)).csrf).not.toBe((await sessionOf(inside, idle)).csrf);
    await closeSession(inside, closed);
    await expect(sessionOf(inside, closed)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const half_ms = LIMITS.sessionIdle_ms / 2 + 1;
    now_ms += half_ms;
    expect((await sessionOf(inside, used)).who).toEqual(owner);
    now_ms += half_ms;
    await expect(sessionOf(inside, idle)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    while (now_ms - NOON_ms + half_ms < LIMITS.session_ms) {
      expect((await sessionOf(inside, used)).roles).toEqual(['owner']);
      now_ms += half_ms;
    }
    now_ms = NOON_ms + LIMITS.session_ms;
    await expect(sessionOf(inside, used)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    now_ms = NOON_ms;
  });
});

describe('the numbers of the board and the charts', () => {
  it('count every work and every day exactly, as numbers', async () => {
    const before = await statusNumbers(desk.box.desk, owner);
    const late = new Date(NOON_ms - 1).toISOString();
    for (const workId of ['n-1', 'n-2']) await desk.owner.register({ workId, input: {}, dueAt: late });
    await desk.owner.promote('n-2', { reason: 'real' });
    await desk.owner.cancel('n-2', {
      reason: 'not needed',
      interruptId: (await desk.owner.show('n-2')).wait?.interruptId,
    });
    const after = await statusNumbers(desk.box.desk, owner);
    expect(after.get('DISCOVERED')).toEqual({
      status: 'DISCOVERED',
      count: (before.get('DISCOVERED')?.count ?? 0) + 1,
      oldest: new Date(NOON_ms).toISOString(),
      unowned: 1,
      overdue: 1,
      silent: 0,
    });
    expect(after.get('CANCELLED')).toMatchObject({ count: 1, oldest: null, overdue: 0 });
    const days = await flowByDay(desk.box.desk, owner, 3);
    expect(days.map(({ date }) => date)).toEqual(['2030-05-18', '2030-05-19', '2030-05-20']);
    expect(days[2]).toMatchObject({ arrived: 2, ended: 1, turnedAway: 0, reworked: 0, dwell_ms: 0 });
    expect(days[0]).toMatchObject({ arrived: 0, ended: 0, dwell_ms: null });
  });
});
