import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactFile } from '../support/artifact-file.js';
import { deskBox, handIn, inProgress, inReview, stored, waitOf, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
let raw: Database.Database;
beforeEach(async () => {
  desk = await deskBox({ recover: false });
  raw = new Database(join(desk.dataDir, 'signalbox.db'), { timeout: 5_000 });
});
afterEach(async () => {
  raw.close();
  await desk.close();
});

/** Record and bytes, as by somebody who emptied the one and restored without the other. */
async function loseAll(): Promise<void> {
  raw.exec('DELETE FROM artifacts');
  await rm(join(desk.dataDir, 'artifacts'), { recursive: true });
}

const UNKNOWN = 'ab'.repeat(32);

describe('an artifact that lost its record and its bytes', () => {
  it('is missed by verify, whether a work, a receipt, a part or a handoff names it', async () => {
    const rests = (await inReview(desk, 'rests')).artifactSha256;
    const work = await inProgress(desk, 'left');
    const saved = await stored(desk, '{"half":1}');
    await desk.as('ann').savePartial('left', {
      interruptId: waitOf(work),
      artifactSha256: saved,
      items: ['/a'],
    });
    const named = await stored(desk, '{"quarter":1}');
    await desk.as('ann').release('left', { interruptId: waitOf(work), reason: 'ill', partials: [named] });
    const late = await stored(desk, '{"late":1}');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256: late } };
    await expect(desk.as('ann').submit('left', body)).rejects.toMatchObject({ code: 'STALE_INTERRUPT' });
    await loseAll();
    const report = await desk.as('otto').verify();
    expect(report.clean).toBe(false);
    const told = report.differences.map(({ code, workId, madeBy, inputVersion, expected, found }) => ({
      code,
      workId,
      madeBy,
      inputVersion,
      sha256: (expected as { record: string }).record,
      found,
    }));
    const missing = { code: 'ARTIFACT_MISSING', madeBy: 'ann', inputVersion: 1, found: 'missing' };
    expect(told.toSorted((a, b) => a.sha256.localeCompare(b.sha256))).toEqual(
      [
        { ...missing, workId: 'rests', sha256: rests ?? '' },
        { ...missing, workId: 'left', sha256: saved },
        { ...missing, workId: 'left', sha256: named },
        { ...missing, workId: 'left', sha256: late },
      ].toSorted((a, b) => a.sha256.localeCompare(b.sha256)),
    );
  });

  it('is missed where one work is asked about, and only by its own works', async () => {
    await inReview(desk, 'w');
    await inProgress(desk, 'other');
    await loseAll();
    expect(await desk.as('vic').verifyWork('w')).toMatchObject({
      clean: false,
      faults: 1,
      differences: [{ code: 'ARTIFACT_MISSING', workId: 'w' }],
    });
    expect((await desk.as('vic').verifyWork('other')).clean).toBe(true);
  });

  it('is not missed where a refused answer alone named it: it may never have been there', async () => {
    const work = await inProgress(desk, 'w');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256: UNKNOWN } };
    await expect(desk.as('ann').submit('w', body)).rejects.toMatchObject({ code: 'ARTIFACT_UNKNOWN' });
    expect(await desk.as('otto').verify()).toMatchObject({ clean: true, notices: 0 });
  });
});

describe('an artifact that lost its record and kept its bytes', () => {
  it('is told once, also where a saved part alone names it', async () => {
    const work = await inProgress(desk, 'w');
    const saved = await stored(desk, '{"half":1}');
    await desk.as('ann').savePartial('w', { interruptId: waitOf(work), artifactSha256: saved, items: [] });
    raw.exec('DELETE FROM artifacts');
    expect(await desk.as('otto').verify()).toMatchObject({
      clean: false,
      differences: [{ code: 'ARTIFACT_WITHOUT_RECORD', workId: 'w', madeBy: 'ann', inputVersion: 1 }],
    });
  });

  it('is told as damaged where they are others', async () => {
    await handIn(desk, await inProgress(desk, 'w'), '{}');
    const sha256 = (await desk.owner.show('w')).artifactSha256 ?? '';
    raw.exec('DELETE FROM artifacts');
    await writeFile(artifactFile(desk.dataDir, sha256), 'x');
    expect((await desk.as('otto').verify()).differences).toMatchObject([
      { code: 'ARTIFACT_DAMAGED', workId: 'w', expected: { record: sha256 } },
    ]);
  });
});

describe('a handoff', () => {
  it('names no part that was never stored', async () => {
    const work = await inProgress(desk, 'w');
    const body = { interruptId: waitOf(work), reason: 'ill', partials: [UNKNOWN] };
    for (const part of ['release', 'handoff'] as const)
      await expect(desk.as('ann')[part]('w', body)).rejects.toMatchObject({ code: 'ARTIFACT_UNKNOWN' });
    expect((await desk.owner.show('w')).holder).toBe('ann');
  });
});
