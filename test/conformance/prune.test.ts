import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOURNAL } from '../../src/ledger/journal.js';
import { all, sql } from '../../src/ledger/sql.js';
import { prune, storeSize } from '../../src/operations/prune.js';
import { retentionPass } from '../../src/operations/retention.js';
import {
  completionOf,
  deskBox,
  faults,
  inReview,
  ready,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';

const OWNER = { tenant: 'default', principal: 'owner' };

const DAY_ms = 24 * 3_600_000;

let desk: DeskBox;
let ahead_ms = 0;
beforeAll(async () => {
  desk = await deskBox({ recover: false, now_ms: () => Date.now() + ahead_ms });
}, 120_000);
afterAll(() => desk.close());

const checkpointsOf = async (thread_id: string): Promise<number> => {
  let count = 0;
  for await (const each of (await desk.box.desk.checkpoints.langGraph()).saver.list({
    configurable: { thread_id },
  }))
    count += Number(Boolean(each));
  return count;
};

describe('retention', () => {
  it('keeps the last checkpoint of what ended long enough ago, all of what waits, and the whole record', async () => {
    const passed = (await desk.as('rita').review('ended', verdictOn(await inReview(desk, 'ended'), 'PASS')))
      .work;
    const ended = (await desk.owner.complete('ended', completionOf(passed))).work;
    const waiting = await inReview(desk, 'waiting');
    const [before, history] = [await checkpointsOf(waiting.threadId), await desk.owner.history('ended')];
    expect(await checkpointsOf(ended.threadId)).toBeGreaterThan(1);
    expect(await prune(desk.box.desk, OWNER, 60_000)).toEqual({ works: 0, checkpoints: 0 });
    const pruned = await prune(desk.box.desk, OWNER, 0);
    expect(pruned.works).toBe(1);
    expect(await checkpointsOf(ended.threadId)).toBe(1);
    expect(await checkpointsOf(waiting.threadId)).toBe(before);
    expect(await desk.owner.history('ended')).toEqual(history);
    expect(await prune(desk.box.desk, OWNER, 0)).toEqual({ works: 0, checkpoints: 0 });
    expect(await faults(desk)).toEqual([]);
    await expect(prune(desk.box.desk, { ...OWNER, principal: 'otto' }, 0)).rejects.toThrow(/FORBIDDEN/);
    const state = await (await desk.box.graph()).getState({ configurable: { thread_id: ended.threadId } });
    expect((state.values as { work: { status: string } }).work.status).toBe('DONE');
  });
});

describe('retention on its schedule', () => {
  const ended = async (workId: string): Promise<string> => {
    const work = await ready(desk, workId);
    return (await desk.owner.cancel(workId, { interruptId: waitOf(work), reason: 'over' })).work.threadId;
  };
  const pass = (stop = new AbortController().signal) => retentionPass(desk.box.desk, DAY_ms, stop);
  const told = async () =>
    await desk.box.desk.store.read(() =>
      all<{ type: string; by_principal: string; data: string }>(
        sql`SELECT type, by_principal, data FROM history WHERE work_id = ${JOURNAL} ORDER BY seq`,
      ),
    );

  it('is one server a day, takes what is old enough by then, and is told in the journal', async () => {
    const threadId = await ended('scheduled');
    const both = await Promise.all([pass(), pass()]);
    expect(both.flat()).toEqual([{ works: 0, checkpoints: 0 }]);
    ahead_ms = DAY_ms - 60_000;
    expect(await pass()).toEqual([]);
    ahead_ms = DAY_ms + 60_000;
    const [pruned] = await pass();
    expect(pruned?.works).toBeGreaterThan(0);
    expect(await checkpointsOf(threadId)).toBe(1);
    expect((await told()).map(({ type, by_principal }) => `${type} ${by_principal}`)).toEqual(
      ['begun', 'ended', 'begun', 'ended'].map((what) => `retention.${what} signalbox`),
    );
    expect(JSON.parse((await told()).at(-1)?.data ?? '')).toEqual({ ...pruned, cutShort: false });
    expect(await faults(desk)).toEqual([]);
  });

  it('goes on after an hour where its server was stopped or died', async () => {
    const threadId = await ended('cut');
    ahead_ms += 2 * DAY_ms;
    await pass(AbortSignal.abort());
    await retentionPass(desk.box.desk, DAY_ms, stopping());
    expect(await checkpointsOf(threadId)).toBeGreaterThan(1);
    expect(await pass()).toEqual([]);
    ahead_ms += 3_700_000;
    expect((await pass())[0]?.works).toBe(1);
    expect(await checkpointsOf(threadId)).toBe(1);
  });

  it('comes again after a clock was set back', async () => {
    ahead_ms -= 10 * DAY_ms;
    expect(await pass()).toHaveLength(1);
  });

  it('is shown by what the database has on disk', async () => {
    expect((await storeSize(desk.box.desk)).bytes).toBeGreaterThan(100_000);
  });
});

/** Is asked whether it has stopped, says no once, and yes from then on. */
function stopping(): AbortSignal {
  let asked = 0;
  const signal = new AbortController().signal;
  Object.defineProperty(signal, 'aborted', { get: () => (asked += 1) > 1 });
  return signal;
}
