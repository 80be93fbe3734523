import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doorFor } from '../../src/operations/door.js';
import { exportArchive } from '../../src/operations/export-archive.js';
import { importArchive } from '../../src/operations/import-archive.js';
import type { ArchiveLine } from '../../src/operations/archive-format.js';
import { recoverPending } from '../../src/operations/recover.js';
import {
  completionOf,
  deskBox,
  faults,
  handIn,
  inProgress,
  inReview,
  ready,
  verdictOn,
  type DeskBox,
} from '../support/desk-box.js';

const OWNER = { tenant: 'default', principal: 'owner' };

let from: DeskBox;
let to: DeskBox;
let lines: ArchiveLine[];
beforeAll(async () => {
  from = await deskBox({ recover: false }, 'sqlite');
  to = await deskBox({ recover: false }, 'postgres');
  await ready(from, 'queued');
  await inProgress(from, 'held');
  await inReview(from, 'reviewed');
  await from.owner.register({ workId: 'found', input: { of: 'found' } });
  const ended = await inReview(from, 'ended');
  const passed = (await from.as('rita').review('ended', verdictOn(ended, 'PASS'))).work;
  await from.owner.complete('ended', completionOf(passed));
  // Accepted and not yet applied.
  const stuck = { ...from.box.desk, appliers: { apply: () => new Promise<never>(() => undefined) } };
  await inReview(from, 'decided');
  const decided = await from.owner.show('decided');
  await doorFor(stuck, { tenant: 'default', principal: 'rita' }).review(
    'decided',
    verdictOn(decided, 'PASS'),
    { wait_ms: 0 },
  );
  lines = [];
  for await (const line of exportArchive(from.box.desk, OWNER)) lines.push(line);
}, 120_000);
afterAll(async () => {
  await from.close();
  await to.close();
});

const IDS = ['queued', 'held', 'reviewed', 'found', 'ended', 'decided'];

describe('a tenant moved from SQLite to PostgreSQL', () => {
  it('keeps every work, interrupt ID, receipt and event as it was', async () => {
    const text = lines.map((line) => JSON.stringify(line));
    const brought = await importArchive(
      to.box.desk,
      OWNER,
      text.map((line) => JSON.parse(line) as ArchiveLine),
    );
    expect(brought).toEqual({ works: IDS.length, artifacts: 3 });
    for (const id of IDS) {
      expect(await to.owner.show(id)).toEqual(await from.owner.show(id));
      expect(await to.owner.receipts(id)).toEqual(await from.owner.receipts(id));
      const withoutPosition = async (desk: DeskBox) =>
        (await desk.owner.history(id)).map((event) => ({ ...event, position: 0 }));
      expect(await withoutPosition(to)).toEqual(await withoutPosition(from));
    }
    expect(await faults(to)).toEqual([]);
  });

  it('finishes there what was half done here', async () => {
    await recoverPending(to.box.desk);
    expect(await to.owner.show('decided')).toMatchObject({ status: 'MERGE_READY', notApplied: null });
    const held = await handIn(to, await to.owner.show('held'), '{"of":"held"}');
    const passed = (await to.as('rita').review('held', verdictOn(held, 'PASS'))).work;
    expect((await to.owner.complete('held', completionOf(passed))).work.status).toBe('DONE');
    const judged = await to
      .as('rita')
      .review('reviewed', verdictOn(await to.owner.show('reviewed'), 'REWORK'));
    expect(judged.work).toMatchObject({ status: 'REWORK', round: 2 });
    expect((await to.as('bob').claim('queued', {})).work.status).toBe('IN_PROGRESS');
    expect(await faults(to)).toEqual([]);
  });

  it('is refused where works are already, and when the archive was cut off', async () => {
    await expect(importArchive(to.box.desk, OWNER, lines)).rejects.toThrow(/without works/);
    const empty = await deskBox({ recover: false }, 'sqlite');
    await expect(importArchive(empty.box.desk, OWNER, lines.slice(0, -1))).rejects.toThrow(/cut off/);
    await empty.close();
    await expect(exportArchive(to.box.desk, { ...OWNER, principal: 'ann' }).next()).rejects.toThrow(
      /FORBIDDEN/,
    );
  });
});
