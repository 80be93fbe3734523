import { afterEach, describe, expect, it } from 'vitest';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';
import { rankOf, RANK_BOUND_ms } from '../../src/ledger/rank.js';

let desk: TestDesk;
afterEach(() => desk.close());
const HOUR_ms = 3_600_000;
/** Cases to page through; more by hand. */
const CASES = Number(process.env['SIGNALBOX_TEST_CASES'] ?? 600);

type Level = 'low' | 'medium' | 'high' | 'critical';
const ids = (page: { items: readonly object[] }): (string | undefined)[] =>
  page.items.map((item) =>
    'case' in item ? (item.case as { exceptionId: string } | null)?.exceptionId : undefined,
  );

async function record(id: string, impact: Level, urgency: Level, more: object = {}) {
  const occurredAt = new Date(desk.clock.now_ms).toISOString();
  return await desk.box.as('ai').recordException(exception(id, { impact, urgency, occurredAt, ...more }));
}

describe('the basket', () => {
  it('is ordered by impact × urgency, then deadline, then age, whatever a text claims of itself', async () => {
    desk = await deskWithPeople();
    await record('low', 'low', 'low', { summary: 'CRITICAL!!! do this first, priority 0' });
    await record('high', 'high', 'high');
    await record('critical', 'critical', 'critical');
    await record('due', 'low', 'low', { dueAt: new Date(desk.clock.now_ms + HOUR_ms).toISOString() });
    desk.clock.now_ms += 1000;
    await record('high, later', 'high', 'high');
    expect(ids(await desk.box.as('ann').basket({ view: 'unclaimed' }))).toEqual([
      'critical',
      'high',
      'high, later',
      'due',
      'low',
    ]);
  });

  it('lets the least important item rise above the most important newcomers', async () => {
    desk = await deskWithPeople();
    await record('old and low', 'low', 'low');
    desk.clock.now_ms += RANK_BOUND_ms;
    await record('new', 'critical', 'critical', { dueAt: new Date(0).toISOString() });
    expect(ids(await desk.box.as('ann').basket({}))).toEqual(['old and low', 'new']);
  });

  it('ranks in the database as in code', async () => {
    desk = await deskWithPeople();
    const levels: Level[] = ['low', 'medium', 'high', 'critical'];
    const dues = [undefined, -400, -30, 5, 26, 300];
    for (const impact of levels)
      for (const due of dues) {
        const dueAt =
          due === undefined ? {} : { dueAt: new Date(desk.clock.now_ms + due * HOUR_ms).toISOString() };
        await record(`${impact} ${due}`, impact, 'high', dueAt);
      }
    const { items } = await desk.box.as('ann').basket({ limit: 200 });
    for (const item of items) {
      if (!('rankedAt' in item)) throw new Error('a work has a rank');
      const values = {
        created_at: Date.parse(item.createdAt),
        impact: item.impact,
        urgency: item.urgency,
        due_at: item.dueAt === null ? null : Date.parse(item.dueAt),
      };
      expect(Date.parse(item.rankedAt)).toBe(rankOf(values));
    }
  });

  it('has every item in the view of where it stands, with exact totals', async () => {
    desk = await deskWithPeople();
    const ann = desk.box.as('ann');
    const work = async (id: string) => (await record(id, 'high', 'high')).work.workId;
    await work('unclaimed');
    const held = await work('held');
    await ann.claim(held, {});
    const asking = await work('asking');
    const { claim } = await ann.claim(asking, {});
    const until = new Date(desk.clock.now_ms + HOUR_ms).toISOString();
    await ann.requestInfo(asking, { interruptId: claim.interruptId, who: 'x', what: 'y', until });
    const decided = await work('decided');
    await claimAndDecide(desk.box, 'ann', decided);
    await record('late', 'low', 'low', { dueAt: new Date(desk.clock.now_ms - 1).toISOString() });
    const owner = desk.box.as('owner');
    await owner.register({ workId: 'reviewed', input: {} });
    await owner.promote('reviewed', { reason: 'go' });
    const plain = await ann.claim('reviewed', {});
    const artifact = await ann.putArtifact('{}', 'application/json');
    await ann.submit('reviewed', {
      interruptId: plain.claim.interruptId,
      inputVersion: 1,
      artifact: { sha256: artifact.sha256 },
    });
    const totals = async (view: string): Promise<[number, number]> => {
      const page = await ann.basket({ view });
      return [page.total, page.items.length];
    };
    expect(new Set(ids(await ann.basket({ view: 'unclaimed' })))).toEqual(new Set(['late', 'unclaimed']));
    expect(ids(await ann.basket({ view: 'in_progress' }))).toEqual(['held']);
    expect(ids(await ann.basket({ view: 'awaiting_info' }))).toEqual(['asking']);
    expect(ids(await ann.basket({ view: 'overdue' }))).toEqual(['late']);
    expect(ids(await ann.basket({ view: 'not_applied' }))).toEqual(['decided']);
    expect(await totals('reviews')).toEqual([1, 1]);
    expect(await totals('gates')).toEqual([0, 0]);
    expect(await totals('dead_letters')).toEqual([0, 0]);
    expect(await totals('outcome_unknown')).toEqual([0, 0]);
    desk.clock.now_ms += 48 * HOUR_ms;
    expect(ids(await ann.basket({ view: 'outcome_unknown' })), 'its holder went silent').toEqual(['held']);
    expect((await ann.basket({ view: 'unclaimed', team: 'desk' })).total).toBe(2);
    expect((await ann.basket({ view: 'unclaimed', team: 'night' })).total).toBe(0);
    await expect(ann.basket({ view: 'unclaimed', cursor: 'x' })).rejects.toMatchObject({ code: 'INVALID' });
  });

  it(
    'shows every item once over many pages, while others arrive, leave and are ranked anew',
    { timeout: 240_000 + CASES * 20 },
    async () => {
      desk = await deskWithPeople();
      const levels: Level[] = ['low', 'medium', 'high', 'critical'];
      const count = CASES;
      const ai = desk.box.as('ai');
      const make = (n: number, more: object = {}) =>
        exception(`e-${n}`, {
          impact: levels[n % 4],
          urgency: levels[(n >> 2) % 4],
          occurredAt: new Date(desk.clock.now_ms).toISOString(),
          ...more,
        });
      for (let from = 0; from < count; from += 200)
        await Promise.all(
          Array.from({ length: 200 }, (_, n) => ai.recordException(make(from + n), { wait_ms: 0 })),
        );
      desk.clock.now_ms += HOUR_ms;
      const seen: string[] = [];
      const leaving = new Set<string>();
      let cursor: string | null = null;
      let round = 0;
      do {
        const query: object = cursor === null ? {} : { cursor };
        const page = await ai.basket({
          view: 'unclaimed',
          limit: Math.min(200, Math.ceil(CASES / 12)),
          ...query,
        });
        seen.push(...ids(page).flatMap((id) => id ?? []));
        cursor = page.nextCursor;
        desk.clock.now_ms += 1000;
        // Some arrive, some are claimed, and some that were shown or not yet shown jump to the top or to the bottom.
        await Promise.all(
          Array.from({ length: 10 }, async (_, n) => {
            const at = (round * 197 + n * 113) % count;
            await ai.recordException(make(count + round * 10 + n), { wait_ms: 0 });
            const impact = n % 2 === 0 ? 'critical' : 'low';
            await ai.recordException(make(at, { impact, urgency: impact, doneSoFar: { round } }));
            const gone = (round * 131 + n * 17 + 5) % count;
            if (n < 3) {
              leaving.add(`e-${gone}`);
              const shown = await desk.box.as('ann').showCase(`e-${gone}`);
              await desk.box
                .as('ann')
                .claim(shown.work.workId, {})
                .catch(() => undefined);
            }
          }),
        );
        round += 1;
      } while (cursor !== null);
      expect(round).toBeGreaterThan(9);
      const unique = new Set(seen);
      expect(seen.length, 'none twice').toBe(unique.size);
      const missed = Array.from({ length: count }, (_, n) => `e-${n}`).filter(
        (id) => !unique.has(id) && !leaving.has(id),
      );
      expect(missed, 'none missed').toEqual([]);
    },
  );
});
