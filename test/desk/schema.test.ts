import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import { deskBox, faults, inProgress, inReview, ready, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
let raw: Database.Database;

beforeAll(async () => {
  desk = await deskBox({ recover: false });
  await inReview(desk, 'w');
  await inProgress(desk, 'held');
  await ready(desk, 'v');
  raw = new Database(join(desk.dataDir, 'signalbox.db'), { timeout: 5_000 });
});
afterAll(async () => {
  raw.close();
  await desk.close();
});

const HEAD = "(SELECT checkpoint_id FROM works WHERE work_id = 'w')";
const THREAD = "(SELECT thread_id FROM works WHERE work_id = 'w')";

describe('the database itself refuses, whoever holds the connection,', () => {
  it.each([
    ['to change an event', "UPDATE history SET by_principal = 'm'", /append-only/],
    ['to remove an event', 'DELETE FROM history', /append-only/],
    [
      'a second event of one number',
      'INSERT INTO history SELECT NULL, tenant, work_id, seq, at, type, by_principal, data, changes, prev_hash, hash FROM history LIMIT 1',
      /UNIQUE/,
    ],
    ['to remove a receipt', 'DELETE FROM receipts', /receipts are kept/],
    [
      'to rewrite a receipt',
      "UPDATE receipts SET outcome = 'refused', code = 'INVALID'",
      /kept as they were given/,
    ],
    [
      'a second accepted answer to one wait',
      "INSERT INTO receipts (receipt_id, tenant, work_id, action, outcome, moves, principal, actor, body, at, interrupt_id) SELECT 'second', tenant, work_id, 'review', 'accepted', 1, 'm', 'm', '{}', 1, interrupt_id FROM receipts WHERE work_id = 'w' AND action = 'claim'",
      /UNIQUE/,
    ],
    [
      'an accepted receipt with a refusal code',
      "INSERT INTO receipts (receipt_id, tenant, work_id, action, outcome, code, moves, principal, actor, body, at) VALUES ('x', 'default', 'w', 'review', 'accepted', 'INVALID', 1, 'm', 'm', '{}', 1)",
      /CHECK/,
    ],
    [
      'a second open lease on one work',
      "INSERT INTO leases SELECT 'second', tenant, work_id, interrupt_id, purpose, 'm', 'm', state, claimed_at, expires_at, limit_at, remaining_ms, last_answer_at, last_progress_at, last_artifact_at, progress, extensions, closed_at, close_reason FROM leases WHERE work_id = 'held'",
      /UNIQUE/,
    ],
    [
      'a second live work of one identity',
      "UPDATE works SET identity_sha256 = (SELECT identity_sha256 FROM works WHERE work_id = 'w') WHERE work_id = 'v'",
      /UNIQUE/,
    ],
    ['a status that does not exist', "UPDATE works SET status = 'APPROVED' WHERE work_id = 'w'", /CHECK/],
    ['a gate without a question', "UPDATE works SET status = 'OWNER_GATE' WHERE work_id = 'w'", /CHECK/],
    ['a holder without a lease', "UPDATE works SET holder = 'm' WHERE work_id = 'v'", /CHECK/],
    [
      'a checkpoint that the desk did not announce',
      `INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, 'zzz', checkpoint_id, type, checkpoint, metadata FROM checkpoints WHERE checkpoint_id = ${HEAD}`,
      /belongs to a work/,
    ],
    [
      'another checkpoint in place of the head',
      `INSERT OR REPLACE INTO checkpoints SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, '{}', metadata FROM checkpoints WHERE checkpoint_id = ${HEAD}`,
      /belongs to a work/,
    ],
    [
      'to change a checkpoint',
      `UPDATE checkpoints SET checkpoint = '{}' WHERE checkpoint_id = ${HEAD}`,
      /belongs to a work/,
    ],
    ['to remove the head of a thread', `DELETE FROM checkpoints WHERE thread_id = ${THREAD}`, /is kept/],
    [
      'an answer beside a standing wait',
      `INSERT OR REPLACE INTO writes SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, 0, 'work', type, value FROM writes WHERE checkpoint_id = ${HEAD}`,
      /belongs to a work/,
    ],
    ['to change a wait', `UPDATE writes SET value = '[]' WHERE checkpoint_id = ${HEAD}`, /belongs to a work/],
    ['to remove a wait', `DELETE FROM writes WHERE thread_id = ${THREAD}`, /is kept/],
  ])('%s', async (_name, statement, message) => {
    expect(() => raw.exec(statement)).toThrow(message);
    expect(await faults(desk)).toEqual([]);
  });

  it('a fork, even to somebody who announces the checkpoint first', () => {
    raw.exec('BEGIN');
    raw.exec("UPDATE works SET checkpoint_id = 'zzz' WHERE work_id = 'w'");
    expect(() =>
      raw.exec(
        `INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, 'zzz', parent_checkpoint_id, type, checkpoint, metadata
         FROM checkpoints WHERE thread_id = ${THREAD} AND parent_checkpoint_id IS NOT NULL LIMIT 1`,
      ),
    ).toThrow(/UNIQUE/);
    raw.exec('ROLLBACK');
  });
});

describe('a file', () => {
  it('of a newer program is not opened by an older one', async () => {
    const other = await deskBox({ recover: false });
    const path = join(other.dataDir, 'signalbox.db');
    await other.box.close();
    const newer = new Database(path);
    newer.pragma('user_version = 9999');
    newer.close();
    await expect(openSignalbox({ dataDir: other.dataDir })).rejects.toThrow(/newer Signalbox/);
    const back = new Database(path);
    back.pragma('user_version = 1');
    back.close();
    await other.reopen();
    await other.close();
  });
});
