import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactFile } from '../support/artifact-file.js';
import {
  completionOf,
  deskBox,
  inProgress,
  inReview,
  ready,
  stored,
  verdictOn,
  type DeskBox,
} from '../support/desk-box.js';

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

/** Somebody with the file in their hands: takes the locks away, then does as they like. */
function tamper(...statements: string[]): void {
  const locks = raw.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all() as {
    name: string;
  }[];
  for (const { name } of locks) raw.exec(`DROP TRIGGER ${name}`);
  raw.exec(
    'DROP INDEX IF EXISTS checkpoints_no_fork; DROP INDEX IF EXISTS receipts_one_accepted; DROP INDEX IF EXISTS works_live_identity',
  );
  for (const statement of statements) raw.exec(statement);
}

const codes = async (): Promise<string[]> => {
  const { differences } = await desk.as('otto').verify();
  return [...new Set(differences.map((each) => each.code))].toSorted();
};

async function done(workId: string): Promise<void> {
  const work = await inReview(desk, workId);
  const passed = (await desk.as('rita').review(workId, verdictOn(work, 'PASS'))).work;
  await desk.owner.complete(workId, completionOf(passed));
}

describe('verify finds nothing', () => {
  it('wrong with works in every stage, and counts what it looked at', async () => {
    await desk.owner.register({ workId: 'a', input: {} });
    await ready(desk, 'b');
    await inProgress(desk, 'c');
    await inReview(desk, 'd');
    await done('e');
    await desk.as('rita').claim('d', {});
    const report = await desk.as('otto').verify();
    expect(report).toMatchObject({
      clean: true,
      works: 5,
      artifacts: 2,
      faults: 0,
      notices: 0,
      differences: [],
    });
    expect(report.events).toBeGreaterThan(18);
    expect(report.receipts).toBe(17);
  });

  it('for those who may not ask', async () => {
    for (const name of ['ann', 'rita', 'vic'])
      await expect(desk.as(name).verify()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('verify finds', () => {
  it.each([
    ['a row that was changed by hand', "UPDATE works SET title = 'other' WHERE work_id = 'w'", ['REPLAY']],
    [
      'a status that was changed by hand',
      "UPDATE works SET status = 'READY' WHERE work_id = 'w'",
      ['CHECKPOINT_POSITION', 'COUNT', 'REPLAY'],
    ],
    [
      'an artifact hash changed in the row',
      "UPDATE works SET artifact_sha256 = 'x' WHERE work_id = 'w'",
      ['ARTIFACT_MISSING', 'CHECKPOINT_POSITION', 'REPLAY'],
    ],
    [
      'another wait in the row',
      "UPDATE works SET interrupt_id = 'x' WHERE work_id = 'w'",
      ['CHECKPOINT_INTERRUPT', 'REPLAY'],
    ],
    [
      'an event that was rewritten',
      "UPDATE history SET by_principal = 'mallory' WHERE work_id = 'w' AND seq = 3",
      ['CHAIN_BROKEN'],
    ],
    [
      'an event that was removed',
      "DELETE FROM history WHERE work_id = 'w' AND seq = 3",
      ['CHAIN_BROKEN', 'RECEIPT_WITHOUT_EVENT'],
    ],
    [
      'the last event removed',
      "DELETE FROM history WHERE work_id = 'w' AND seq = (SELECT max(seq) FROM history WHERE work_id = 'w')",
      ['CHAIN_HEAD', 'RECEIPT_WITHOUT_EVENT', 'REPLAY'],
    ],
    [
      'an event added after the last',
      "INSERT INTO history SELECT NULL, tenant, work_id, seq + 1, at, 'note', 'm', '{}', '{}', hash, hash FROM history WHERE work_id = 'w' ORDER BY seq DESC LIMIT 1",
      ['CHAIN_BROKEN', 'CHAIN_HEAD'],
    ],
    [
      'a receipt removed',
      "DELETE FROM receipts WHERE work_id = 'w' AND action = 'claim'",
      ['RECEIPT_MISSING'],
    ],
    [
      'a receipt nobody gave',
      "INSERT INTO receipts (receipt_id, tenant, work_id, action, outcome, moves, principal, actor, body, at, interrupt_id) SELECT 'forged', tenant, work_id, 'review', 'accepted', 1, 'm', 'm', '{}', 1, 'i' FROM works WHERE work_id = 'w'",
      ['RECEIPT_NOT_PENDING', 'RECEIPT_WITHOUT_EVENT'],
    ],
    [
      'a second accepted answer',
      "INSERT INTO receipts (receipt_id, tenant, work_id, action, outcome, moves, principal, actor, body, at, interrupt_id, applied_at) SELECT 'zz', tenant, work_id, action, 'accepted', 1, 'm', 'm', '{}', 1, interrupt_id, 1 FROM receipts WHERE work_id = 'w' AND action = 'claim'",
      ['RECEIPT_WITHOUT_EVENT', 'WAIT_ANSWERED_TWICE'],
    ],
    [
      'an answer that was never applied and is forgotten',
      "UPDATE receipts SET applied_at = NULL WHERE work_id = 'w' AND action = 'claim'",
      ['RECEIPT_APPLIED_TWICE', 'RECEIPT_NOT_PENDING'],
    ],
    [
      'a fork',
      "INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, 'zzz', parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints WHERE checkpoint_id = (SELECT checkpoint_id FROM works WHERE work_id = 'w')",
      ['CHECKPOINT_FORK', 'CHECKPOINT_HEAD'],
    ],
    [
      'a head that is gone',
      "DELETE FROM checkpoints WHERE checkpoint_id = (SELECT checkpoint_id FROM works WHERE work_id = 'w')",
      ['CHECKPOINT_HEAD', 'CHECKPOINT_MISSING'],
    ],
    ['a wait that is not armed any more', 'DELETE FROM writes', ['CHECKPOINT_INTERRUPT']],
    [
      'a lease without a holder in the row',
      "UPDATE leases SET closed_at = NULL WHERE work_id = 'w'",
      ['LEASE'],
    ],
    [
      'two live works of one identity',
      "UPDATE works SET identity_sha256 = (SELECT identity_sha256 FROM works WHERE work_id = 'w') WHERE work_id = 'v'",
      ['IDENTITY_DUPLICATE', 'REPLAY'],
    ],
  ])('%s', async (_name, statement, expected) => {
    await inReview(desk, 'w');
    await ready(desk, 'v');
    expect(await codes()).toEqual([]);
    tamper(statement);
    expect(await codes()).toEqual(expected);
    expect((await desk.as('otto').verify()).clean).toBe(false);
  });

  it('where history was rewritten: which event, by whom, for which input version', async () => {
    await inProgress(desk, 'w');
    await desk.owner.register({ workId: 'w', input: { a: 1 }, correction: { reason: 'typo' } });
    const last = (await desk.owner.history('w')).at(-1);
    tamper(`UPDATE history SET data = '{}' WHERE work_id = 'w' AND seq = ${last?.seq ?? 0}`);
    const { differences } = await desk.as('otto').verify();
    expect(differences.find((each) => each.code === 'CHAIN_BROKEN')).toMatchObject({
      workId: 'w',
      seq: last?.seq,
      madeBy: 'owner',
      expected: { hash: expect.any(String) as string },
      found: { hash: last?.hash },
    });
  });
});

describe('verify finds of artifacts', () => {
  it('that a DONE work rests on bytes that are gone or damaged, who made them, and for which version', async () => {
    await done('gone');
    await done('spoilt');
    const gone = await desk.owner.show('gone');
    const spoilt = await desk.owner.show('spoilt');
    await rm(artifactFile(desk.dataDir, gone.artifactSha256 ?? ''));
    await writeFile(artifactFile(desk.dataDir, spoilt.artifactSha256 ?? ''), 'other bytes');
    const { differences, clean } = await desk.as('otto').verify();
    expect(clean).toBe(false);
    const known = { madeBy: 'ann', inputVersion: 1 };
    expect(differences.toSorted((a, b) => (a.workId ?? '').localeCompare(b.workId ?? ''))).toMatchObject([
      { code: 'ARTIFACT_MISSING', workId: 'gone', ...known },
      { code: 'ARTIFACT_DAMAGED', workId: 'spoilt', ...known },
    ]);
    expect(differences[0]?.detail).toMatch(/\(DONE\)/);
  });

  it('bytes whose record is gone: handed in by whom and for which version', async () => {
    const work = await inReview(desk, 'w');
    tamper('DELETE FROM artifacts');
    expect((await desk.as('otto').verify()).differences).toMatchObject([
      {
        code: 'ARTIFACT_WITHOUT_RECORD',
        severity: 'fault',
        workId: 'w',
        madeBy: 'ann',
        inputVersion: 1,
        found: { file: work.artifactSha256 },
      },
    ]);
  });

  it('bytes that were stored and never handed in: by whom, and for which version of the work it held', async () => {
    await inProgress(desk, 'w');
    await desk.owner.register({ workId: 'w', input: { a: 1 }, correction: { reason: 'typo' } });
    const sha256 = await stored(desk, 'never handed in');
    const report = await desk.as('otto').verify();
    expect(report).toMatchObject({ clean: true, notices: 1 });
    expect(report.differences).toMatchObject([
      {
        code: 'ARTIFACT_UNUSED',
        severity: 'notice',
        workId: 'w',
        madeBy: 'ann',
        inputVersion: 2,
        found: { sha256 },
      },
    ]);
  });

  it('a file that nothing names, and says that nothing tells whose it is', async () => {
    const sha256 = await stored(desk, 'left over');
    tamper('DELETE FROM artifacts');
    const report = await desk.as('otto').verify();
    expect(report).toMatchObject({ clean: true, notices: 1 });
    expect(report.differences).toMatchObject([
      { code: 'ARTIFACT_LEFT_OVER', madeBy: null, at: null, inputVersion: null, found: { file: sha256 } },
    ]);
    expect(report.differences[0]?.detail).toMatch(/nothing tells who/);
  });
});
