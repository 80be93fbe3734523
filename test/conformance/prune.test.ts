import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prune } from '../../src/operations/prune.js';
import { completionOf, deskBox, faults, inReview, verdictOn, type DeskBox } from '../support/desk-box.js';

const OWNER = { tenant: 'default', principal: 'owner' };

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
}, 120_000);
afterAll(() => desk.close());

const checkpointsOf = async (thread_id: string): Promise<number> => {
  let count = 0;
  for await (const each of desk.box.desk.checkpoints.saver.list({ configurable: { thread_id } }))
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
    const state = await desk.box.graph.getState({ configurable: { thread_id: ended.threadId } });
    expect((state.values as { work: { status: string } }).work.status).toBe('DONE');
  });
});
