import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineKind } from '../../src/index.js';
import { asDesk } from '../../src/operations/cases/desk-principal.js';
import { expireLeases } from '../../src/operations/expire.js';
import { findNothing } from '../../src/operations/investigate.js';
import { deskBox, faults, stored, waitOf, type DeskBox } from '../support/desk-box.js';
import type { WorkView } from '../../src/operations/views.js';

const MINUTE_ms = 60_000;
const lease = { lease_ms: 10 * MINUTE_ms, leaseLimit_ms: 60 * MINUTE_ms, noProgress_ms: 15 * MINUTE_ms };
const manual = defineKind({ name: 'manual', lease, reviewLease_ms: 40 * MINUTE_ms, leaseLossLimit: 2 });
const quiet = defineKind({ name: 'quiet', lease, autoNothingFound: true });

let now_ms: number;
let desk: DeskBox;
const clock = () => now_ms;
beforeEach(async () => {
  now_ms = Date.parse('2026-03-02T08:00:00Z');
  desk = await deskBox({ recover: false, kinds: [manual, quiet], now_ms: clock });
});
afterEach(() => desk.close());

async function claimed(workId: string, kind = 'manual', holder = 'ann'): Promise<WorkView> {
  await desk.owner.register({ kind, workId, input: { lines: { a: 1, b: 2 } } });
  await desk.owner.promote(workId, { reason: 'go' });
  return (await desk.as(holder).claim(workId, {})).work;
}

/** The holder has been silent for longer than its lease, and the desk has looked. */
async function silent(workId: string, kind = 'manual'): Promise<WorkView> {
  const work = await claimed(workId, kind);
  now_ms += 11 * MINUTE_ms;
  await expireLeases(desk.box.desk);
  return work;
}

const nothing = { finding: 'nothing_found', evidenceRef: 'log:host' };
const eventTypes = async (workId: string) => (await desk.owner.history(workId)).map(({ type }) => type);

describe('a reservation that runs out', () => {
  it('is found once, is unknown, and starts nothing', async () => {
    await silent('w');
    expect(await expireLeases(desk.box.desk)).toBe(0);
    expect(await desk.owner.show('w')).toMatchObject({
      status: 'IN_PROGRESS',
      holder: 'ann',
      lease: { state: 'unknown' },
    });
    expect((await eventTypes('w')).filter((type) => type === 'lease.expired')).toHaveLength(1);
    await expect(desk.as('bob').claim('w', {})).rejects.toMatchObject({ code: 'ALREADY_CLAIMED' });
    expect(await desk.as('bob').claimNext({})).toBeNull();
    expect(await faults(desk)).toEqual([]);
  });

  it('is found after a restart, though it ran out while nothing was running', async () => {
    await claimed('w');
    await desk.box.close();
    now_ms += 11 * MINUTE_ms;
    await desk.reopen({ recover: true, kinds: [manual, quiet], now_ms: clock });
    await expect
      .poll(async () => (await desk.owner.show('w')).lease?.state, { timeout: 10_000 })
      .toBe('unknown');
  });

  it('takes no finding before its time, and no handoff by whoever lost it', async () => {
    const work = await claimed('w');
    await expect(desk.as('otto').investigate('w', nothing)).rejects.toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
    now_ms += 11 * MINUTE_ms;
    const body = { interruptId: waitOf(work), reason: 'for bob', to: 'bob' };
    await expect(desk.as('ann').handoff('w', body)).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
    await expect(desk.as('ann').release('w', body)).rejects.toMatchObject({ code: 'INVALID' });
    const { to, ...release } = body;
    expect(to).toBe('bob');
    await expect(desk.as('ann').release('w', release)).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
    await expect(desk.as('ann').block('w', release)).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
    expect((await desk.owner.show('w')).status).toBe('IN_PROGRESS');
  });

  it('shows what was left, and nothing found goes back to the queue with a handoff that the next claim carries', async () => {
    const work = await claimed('w');
    const partial = await stored(desk, '{"half":1}');
    const body = { interruptId: waitOf(work), artifactSha256: partial, items: ['/lines/a'] };
    await desk.as('ann').savePartial('w', body);
    const whole = await stored(desk, '{"whole":1}');
    now_ms += 11 * MINUTE_ms;
    await expireLeases(desk.box.desk);
    expect(await desk.as('otto').investigation('w')).toMatchObject({
      lease: { state: 'unknown', holder: 'ann', lastArtifactAt: '2026-03-02T08:00:00.000Z' },
      partials: [{ artifactSha256: partial, items: ['/lines/a'] }],
      unsubmitted: [{ sha256: whole }],
      lateResults: [],
      effects: [],
    });
    const back = (await desk.as('otto').investigate('w', nothing)).work;
    expect(back).toMatchObject({ status: 'READY', holder: null, reassignments: 1 });
    const { claim } = await desk.as('bob').claim('w', {});
    expect(claim.handoff).toMatchObject({
      from: 'ann',
      cause: 'expired',
      itemsDone: ['/lines/a'],
      partials: [partial],
    });
  });

  it('goes to validation with what was found, in the name of who made it', async () => {
    const work = await claimed('w');
    const sha256 = await stored(desk, '{"whole":1}');
    now_ms += 11 * MINUTE_ms;
    await expireLeases(desk.box.desk);
    const found = { finding: 'result_found', evidenceRef: 'disk:ann', adopts: sha256 };
    const others = await stored(desk, '{"other":1}', 'bob');
    await expect(desk.as('otto').investigate('w', { ...found, adopts: others })).rejects.toMatchObject({
      code: 'INVALID',
    });
    const after = (await desk.as('otto').investigate('w', found)).work;
    expect(after).toMatchObject({ status: 'VP_REVIEW', artifactSha256: sha256, author: 'ann', round: 1 });
    const late = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    await expect(desk.as('ann').submit('w', late)).rejects.toMatchObject({ code: 'STALE_INTERRUPT' });
  });

  it('of a judgement is simply over: whoever comes next may judge', async () => {
    const work = await claimed('w');
    const sha256 = await stored(desk, '{}');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    const handed = (await desk.as('ann').submit('w', body)).work;
    await desk.as('rita').claim('w', {});
    now_ms += 41 * MINUTE_ms;
    await expireLeases(desk.box.desk);
    expect(await desk.owner.show('w')).toMatchObject({
      status: 'VP_REVIEW',
      holder: null,
      wait: { interruptId: waitOf(handed) },
    });
    expect(await eventTypes('w')).toContain('reservation.expired');
    await desk.as('rob').claim('w', {});
    expect(await faults(desk)).toEqual([]);
  });

  it('need not be waited for: a reserved judgement is given back, and the wait stays the same for the next', async () => {
    const work = await claimed('w');
    const sha256 = await stored(desk, '{}');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    const wait = waitOf((await desk.as('ann').submit('w', body)).work);
    await desk.as('rita').claim('w', {});
    const letGo = { interruptId: wait, reason: 'not my field' };
    await expect(desk.as('rob').claim('w', {})).rejects.toMatchObject({ code: 'ALREADY_CLAIMED' });
    await expect(desk.as('rob').release('w', letGo)).rejects.toMatchObject({ code: 'NOT_HOLDER' });
    const key = { idempotencyKey: 'give-back' };
    const { work: back } = await desk.as('rita').release('w', letGo, key);
    expect(back).toMatchObject({
      status: 'VP_REVIEW',
      holder: null,
      lease: null,
      reassignments: 0,
      wait: { interruptId: wait },
    });
    expect((await desk.as('rita').release('w', letGo, key)).replayed).toBe(true);
    expect(await desk.owner.handoffs('w')).toEqual([]);
    expect((await desk.as('rob').claim('w', {})).claim.interruptId).toBe(wait);
    await expect(desk.as('rita').release('w', letGo)).rejects.toMatchObject({ code: 'NOT_HOLDER' });
    const verdict = { interruptId: wait, artifactSha256: sha256, verdict: 'PASS', evidenceRef: 'log:1' };
    expect((await desk.as('rob').review('w', verdict)).work.status).toBe('MERGE_READY');
    expect(await faults(desk)).toEqual([]);
  });

  it('too often for its kind goes to the owner, not to the queue', async () => {
    await silent('w');
    await desk.as('otto').investigate('w', nothing);
    for (const [loss, status] of [[2, 'READY'] as const, [3, 'OWNER_GATE'] as const]) {
      await desk.as('bob').claim('w', {});
      now_ms += 11 * MINUTE_ms;
      await expireLeases(desk.box.desk);
      const { work } = await desk.as('otto').investigate('w', nothing);
      expect({ loss, status: work.status, round: work.round }).toEqual({ loss, status, round: 1 });
    }
    expect(await faults(desk)).toEqual([]);
  });
});

describe('a kind that needs nobody to find that nothing is there', () => {
  it('is back in the queue by itself, with a receipt and rows of history for it', async () => {
    await silent('w', 'quiet');
    expect(await desk.owner.show('w')).toMatchObject({ status: 'READY', holder: null });
    const receipts = await desk.owner.receipts('w');
    expect(receipts.at(-1)).toMatchObject({
      action: 'investigate',
      outcome: 'accepted',
      principal: 'signalbox',
    });
    expect(await eventTypes('w')).toContain('lease.expired');
  });

  it('is found too when the process died between the expiry and the finding', async () => {
    await claimed('w', 'quiet');
    now_ms += 11 * MINUTE_ms;
    const asking = defineKind({ name: 'quiet', lease });
    await desk.reopen({ recover: false, kinds: [manual, asking], now_ms: clock });
    await expireLeases(desk.box.desk);
    expect(await desk.owner.show('w')).toMatchObject({ status: 'IN_PROGRESS', lease: { state: 'unknown' } });
    await desk.reopen({ recover: false, kinds: [manual, quiet], now_ms: clock });
    await expireLeases(desk.box.desk);
    expect((await desk.owner.show('w')).status).toBe('READY');
  });

  it('waits for a person all the same where anything was stored', async () => {
    await claimed('w', 'quiet');
    await stored(desk, '{"something":1}');
    now_ms += 11 * MINUTE_ms;
    await expireLeases(desk.box.desk);
    await expireLeases(desk.box.desk);
    expect((await desk.owner.show('w')).status).toBe('IN_PROGRESS');
    // Nor is it passed over by who looked before it was stored: the finding looks again as it is written.
    const { desk: opened } = desk.box;
    const finding = findNothing(opened, await asDesk(opened, 'default'), 'w');
    await expect(finding).rejects.toMatchObject({ code: 'ACTION_NOT_ALLOWED' });
    expect((await desk.owner.show('w')).status).toBe('IN_PROGRESS');
  });

  it('is not held up by works whose kind nobody declares any more', async () => {
    await claimed('a-stranger', 'manual');
    await claimed('w', 'quiet');
    now_ms += 11 * MINUTE_ms;
    await desk.reopen({ recover: false, kinds: [quiet], now_ms: clock });
    await expireLeases(desk.box.desk);
    expect((await desk.owner.show('w')).status).toBe('READY');
    expect((await desk.owner.show('a-stranger')).lease?.state).toBe('unknown');
  });
});

describe('renewing', () => {
  it('goes on with progress up to the total limit, and stops where nothing moves', async () => {
    const work = await claimed('w');
    const beat = (progress?: object) =>
      desk.as('ann').renew('w', { interruptId: waitOf(work), ...(progress ? { progress } : {}) });
    now_ms += 8 * MINUTE_ms;
    await beat();
    now_ms += 8 * MINUTE_ms;
    await expect(beat()).rejects.toMatchObject({ code: 'NO_PROGRESS' });
    for (let done = 1; done <= 5; done += 1) {
      await beat({ done, total: 9 });
      now_ms += 8 * MINUTE_ms;
    }
    const { lease: last } = await beat({ done: 6, total: 9 });
    expect(last).toMatchObject({ state: 'working', limitAt: '2026-03-02T09:00:00.000Z' });
    expect(last.expiresAt).toBe('2026-03-02T09:00:00.000Z');
    now_ms = Date.parse('2026-03-02T09:00:00Z');
    await expect(beat({ done: 7, total: 9 })).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
  });

  it('takes the same progress again for none', async () => {
    const work = await claimed('w');
    const beat = () =>
      desk.as('ann').renew('w', { interruptId: waitOf(work), progress: { done: 1, total: 9 } });
    await beat();
    now_ms += 8 * MINUTE_ms;
    await beat();
    now_ms += 8 * MINUTE_ms;
    await expect(beat()).rejects.toMatchObject({ code: 'NO_PROGRESS' });
  });

  it('does not start the clock of a work that is parked', async () => {
    const work = await claimed('w');
    const held = (await desk.as('otto').hold('w', { interruptId: waitOf(work), reason: 'holiday' })).work;
    const { leaseExpiresAt } = await desk.as('ann').renew('w', { interruptId: waitOf(held) });
    expect(leaseExpiresAt).toBeNull();
    now_ms += 24 * 60 * MINUTE_ms;
    await expireLeases(desk.box.desk);
    const resumed = (await desk.as('otto').resume('w', { interruptId: waitOf(held), reason: 'back' })).work;
    expect(resumed).toMatchObject({ status: 'IN_PROGRESS', holder: 'ann', lease: { state: 'reserved' } });
    expect(Date.parse(resumed.lease?.expiresAt ?? '')).toBe(now_ms + 10 * MINUTE_ms);
  });

  it('never makes a reservation end sooner', async () => {
    const work = await claimed('w');
    const sha256 = await stored(desk, '{}');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    const handed = (await desk.as('ann').submit('w', body)).work;
    const { claim } = await desk.as('rita').claim('w', {});
    const { leaseExpiresAt } = await desk.as('rita').renew('w', { interruptId: waitOf(handed) });
    expect(leaseExpiresAt).toBe(claim.leaseExpiresAt);
  });

  it('is told which paths a correction changed', async () => {
    const work = await claimed('w');
    const input = { lines: { a: 1, b: 3 } };
    await desk.owner.register({ kind: 'manual', workId: 'w', input, correction: { reason: 'b was wrong' } });
    await expect(desk.as('ann').renew('w', { interruptId: waitOf(work) })).rejects.toMatchObject({
      code: 'INPUT_CHANGED',
      details: { changes: [{ path: '/lines/b', before: 2, after: 3 }] },
    });
  });
});
