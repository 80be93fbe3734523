import { createReadStream, existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportOutcome } from '../../src/operations/import-works.js';
import { readImport } from '../../src/importing/read-import.js';
import { first, sql } from '../../src/ledger/sql.js';
import { deskBox, faults, type DeskBox } from '../support/desk-box.js';

/** 704 real issues, where somebody has put them beside the project. */
const BACKLOG = process.env['BACKLOG_BEADS'] ?? '../shared/data/backlog-beads.jsonl';
const WORKS = 704;
const SECONDS = 30;

describe.skipIf(!existsSync(BACKLOG))('a real backlog', () => {
  let desk: DeskBox;
  beforeAll(async () => {
    desk = await deskBox();
  });
  afterAll(() => desk.close());

  async function imported(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const lines = readImport('beads', createReadStream(BACKLOG));
    for await (const { outcome } of desk.owner.importWorks(lines) as AsyncIterable<ImportOutcome>)
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  }

  it(`comes in whole within ${SECONDS} seconds, as DISCOVERED, with what blocks what`, async () => {
    const begun = performance.now();
    expect(await imported()).toEqual({ created: WORKS });
    expect(performance.now() - begun).toBeLessThan(SECONDS * 1000);
    expect(await desk.owner.list({ status: 'DISCOVERED' })).toMatchObject({ total: WORKS });
  }, 120_000);

  /** Threads are started in the background; what is durable does not wait for them. */
  const notStarted = async (): Promise<number> => {
    const row = await desk.box.desk.store.read(() =>
      first<{ count: number }>(sql`SELECT count(*) AS count FROM works WHERE pending_receipt IS NOT NULL`),
    );
    return row?.count ?? 0;
  };

  it('comes in a second time without changing anything', async () => {
    await expect.poll(notStarted, { timeout: 90_000, interval: 100 }).toBe(0);
    const before = await desk.owner.list({ sort: '-updated' });
    const events = (await desk.as('otto').verify()).events;
    expect(await imported()).toEqual({ existing: WORKS });
    expect(await desk.owner.list({ sort: '-updated' })).toEqual(before);
    expect((await desk.as('otto').verify()).events).toBe(events);
  }, 120_000);

  it('gives to workers only what was promoted and waits for nothing', async () => {
    expect(await desk.as('ann').claimNext()).toBeNull();
    const works = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof desk.owner.list>> = await desk.owner.list({
        limit: 200,
        ...(cursor === '' ? {} : { cursor }),
      });
      works.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(works).toHaveLength(WORKS);
    const shown = await Promise.all(works.map((work) => desk.owner.show(work.workId)));
    const blocked = shown.find((work) => work.blockedBy.length > 0);
    const free = shown.find((work) => work.blockedBy.length === 0);
    expect(blocked && free).toBeTruthy();
    for (const work of [blocked, free]) await desk.owner.promote(work?.workId ?? '', { reason: 'triaged' });
    await expect(desk.as('ann').claim(blocked?.workId ?? '', {})).rejects.toMatchObject({
      code: 'BLOCKED_BY',
    });
    await expect(desk.as('ann').claim(works.at(-1)?.workId ?? '', {})).rejects.toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
    expect((await desk.as('ann').claimNext())?.claim.workId).toBe(free?.workId);
    expect(await desk.as('ann').claimNext()).toBeNull();
    expect(await faults(desk)).toEqual([]);
  }, 120_000);
});
