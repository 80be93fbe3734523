import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsPosition } from '../../src/operations/events.js';
import { recoverPending } from '../../src/operations/recover.js';
import type { EventView, WorkView } from '../../src/operations/views.js';
import { deskBox, faults, inReview, ready, verdictOn, type DeskBox } from '../support/desk-box.js';
import { startDeskProcess, type DeskProcess } from '../support/desk-processes.js';

const PROCESSES = 3;
const WORKS = 40;
const CLAIMERS = 32;

let desk: DeskBox;
let processes: DeskProcess[];
beforeAll(async () => {
  desk = await deskBox({ recover: false });
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => startDeskProcess(desk.dataDir)));
}, 120_000);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await desk.close();
});

interface Claimed {
  readonly claim?: { readonly workId: string };
}

describe('several processes on one database', () => {
  it(`give ${WORKS} works to ${CLAIMERS} claimers at once: each work to one of them, none left`, async () => {
    await Promise.all(Array.from({ length: WORKS }, (_, index) => ready(desk, `queued-${index}`)));
    const claimed: string[] = [];
    const claimers = Array.from({ length: CLAIMERS }, async (_, index) => {
      const one = processes[index % PROCESSES];
      for (let quiet = 0; quiet < 2;) {
        const told = await one?.call(index % 2 === 0 ? 'ann' : 'bob', 'claimNext', [{}]);
        if (told && 'value' in told && told.value) claimed.push((told.value as Claimed).claim?.workId ?? '');
        else if (told && 'fault' in told) throw new Error(told.fault);
        else quiet += 1;
      }
    });
    await Promise.all(claimers);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBe(WORKS);
  }, 180_000);

  it('accept one of several verdicts on one wait, and tell the others who was first', async () => {
    for (let index = 0; index < 10; index += 1) {
      const work = await inReview(desk, `judged-${index}`);
      const at_ms = Date.now() + 5;
      const told = await Promise.all(
        processes.map((each, number) =>
          each.call(
            number === 0 ? 'rita' : 'rob',
            'review',
            [work.workId, verdictOn(work, number === 0 ? 'PASS' : 'REWORK')],
            at_ms,
          ),
        ),
      );
      const codes = told.map((each) =>
        'value' in each ? 'accepted' : 'code' in each ? each.code : each.fault,
      );
      expect(codes.filter((code) => code === 'accepted')).toHaveLength(1);
      expect(codes.filter((code) => code === 'ALREADY_DECIDED')).toHaveLength(PROCESSES - 1);
    }
  }, 120_000);

  it('register one identity once, however many send it at the same moment', async () => {
    for (let index = 0; index < 10; index += 1) {
      const at_ms = Date.now() + 5;
      const told = await Promise.all(
        processes.map((each) =>
          each.call('ann', 'register', [{ workId: `same-${index}`, input: { index } }], at_ms),
        ),
      );
      const outcomes = told.map((each) =>
        'value' in each ? (each.value as { outcome: string }).outcome : JSON.stringify(each),
      );
      expect(outcomes.toSorted()).toEqual([
        'created',
        ...Array.from({ length: PROCESSES - 1 }, () => 'existing'),
      ]);
    }
  }, 120_000);

  it('show every event once and in order to who follows, while all of them write', async () => {
    const stop = new AbortController();
    const seen: EventView[] = [];
    const after = await eventsPosition(desk.box.desk, { tenant: 'default', principal: 'owner' });
    const following = (async () => {
      for await (const event of desk.owner.events({ after }, { signal: stop.signal })) seen.push(event);
    })();
    await Promise.all(
      processes.flatMap((each, number) =>
        Array.from({ length: 20 }, (_, index) =>
          each.call('ann', 'register', [{ workId: `event-${number}-${index}`, input: {} }]),
        ),
      ),
    );
    const expected = PROCESSES * 20;
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(expected);
    await pause(300);
    stop.abort();
    await following;
    expect(seen).toHaveLength(expected);
    const positions = seen.map((event) => event.position);
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    expect(new Set(positions).size).toBe(expected);
  }, 120_000);

  it('finish what one of them accepted before it was killed, once', async () => {
    const works: WorkView[] = [];
    for (let index = 0; index < 5; index += 1) works.push(await inReview(desk, `killed-${index}`));
    const child = await startDeskProcess(desk.dataDir, { apply: false });
    for (const work of works) {
      const told = await child.call('rita', 'review', [work.workId, verdictOn(work, 'PASS'), { wait_ms: 0 }]);
      expect(told).toMatchObject({ value: { receipt: { applied: false } } });
    }
    await child.kill();
    await Promise.all([recoverPending(desk.box.desk), recoverPending(desk.box.desk)]);
    for (const { workId } of works) {
      expect(await desk.owner.show(workId)).toMatchObject({ status: 'MERGE_READY', notApplied: null });
      const moves = (await desk.owner.history(workId)).filter(
        (event) => event.changes['status'] === 'MERGE_READY',
      );
      expect(moves).toHaveLength(1);
    }
  }, 120_000);

  it('leave a ledger that proves itself', async () => {
    expect(await faults(desk)).toEqual([]);
  }, 60_000);
});
