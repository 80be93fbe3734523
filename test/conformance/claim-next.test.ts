import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from '../../src/operations/desk.js';
import { doorFor } from '../../src/operations/door.js';
import type { Store } from '../../src/ledger/store.js';
import { deskBox, faults, handIn, ready, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
}, 120_000);
afterAll(() => desk.close());

/** The desk of a process that is slow between looking and writing: others do something meanwhile, once. */
function slow(others: () => Promise<unknown>): Desk {
  const { store } = desk.box.desk;
  let meanwhile: Promise<unknown> | undefined;
  const slowStore = Object.create(store, {
    write: {
      value: async (work: Parameters<Store['write']>[0]) => {
        await (meanwhile ??= others());
        return await store.write(work);
      },
    },
  }) as Store;
  return { ...desk.box.desk, store: slowStore };
}

describe('claim-next', () => {
  it('never turns into the reservation of a judgement where others were faster by a whole stage', async () => {
    await ready(desk, 'overtaken');
    const late = slow(async () => {
      const { work } = await desk.as('bob').claim('overtaken', {});
      await handIn(desk, work, '{"of":"overtaken"}', 'bob');
    });
    expect(await doorFor(late, { tenant: 'default', principal: 'ann' }).claimNext({})).toBeNull();
    expect(await desk.owner.show('overtaken')).toMatchObject({
      status: 'VP_REVIEW',
      holder: null,
      lease: null,
    });
    expect(await faults(desk)).toEqual([]);
  });

  it('goes on with the next work where one of its candidates has moved', async () => {
    await ready(desk, 'taken');
    await ready(desk, 'left');
    const late = slow(() => desk.as('bob').claim('taken', {}));
    const claimed = await doorFor(late, { tenant: 'default', principal: 'ann' }).claimNext({});
    expect(claimed?.claim).toMatchObject({ workId: 'left', status: 'IN_PROGRESS' });
  });

  it('gives each of many who ask at once a work of their own, while there are enough', async () => {
    const works = Array.from({ length: 80 }, (_, index) => `crowd-${index}`);
    await Promise.all(works.map((workId) => ready(desk, workId)));
    const asked = Array.from({ length: 70 }, (_, index) =>
      desk.as(index % 2 === 0 ? 'ann' : 'bob').claimNext({}),
    );
    const claims = (await Promise.all(asked)).map((answer) => answer?.claim.workId);
    expect(new Set(claims.filter((workId) => workId?.startsWith('crowd-'))).size).toBe(70);
    expect((await desk.owner.list({ status: 'READY' })).total).toBe(10);
    // Nobody was refused a work that another one got.
    for (const workId of works)
      expect((await desk.owner.receipts(workId)).filter(({ outcome }) => outcome === 'refused')).toEqual([]);
    expect(await faults(desk)).toEqual([]);
  }, 120_000);

  it('gives the same work for the same key, also at once', async () => {
    const ROUNDS = 40;
    await Promise.all(Array.from({ length: ROUNDS }, (_, index) => ready(desk, `same-${index}`)));
    for (let round = 0; round < ROUNDS; round += 1) {
      const ask = () => desk.as('ann').claimNext({}, { idempotencyKey: `next-${round}` });
      const answers = [...(await Promise.all([ask(), ask()])), await ask()];
      expect(new Set(answers.map((answer) => answer?.claim.workId)).size).toBe(1);
      expect(answers.filter((answer) => answer?.replayed === false)).toHaveLength(1);
      for (const answer of answers) expect(answer?.receipt.workId).toBe(answer?.claim.workId);
    }
  }, 120_000);
});
