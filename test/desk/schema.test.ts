import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/core/identity.js';
import { openSignalbox } from '../../src/index.js';
import { GENESIS_HASH, eventHash } from '../../src/ledger/record.js';
import type { HistoryRow } from '../../src/ledger/rows.js';
import { SCHEMA_1 } from '../../src/ledger/schema.js';
import { deskBox, faults, inProgress, inReview, ready, waitOf, type DeskBox } from '../support/desk-box.js';

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
    const own = newer.pragma('user_version', { simple: true }) as number;
    newer.pragma('user_version = 9999');
    newer.close();
    await expect(openSignalbox({ dataDir: other.dataDir })).rejects.toThrow(/newer Signalbox/);
    const back = new Database(path);
    back.pragma(`user_version = ${own}`);
    back.close();
    await other.reopen();
    await other.close();
  });

  it('of the first version is brought up to this one, with every work counted and every case in its class', async () => {
    const other = await deskBox({ recover: false });
    await inReview(other, 'reviewed');
    await ready(other, 'ready');
    await other.owner.recordException({
      exceptionId: 'e-1',
      origin: { system: 'ordering', runId: 'run-1' },
      classification: 'price-mismatch',
      occurredAt: '2026-03-02T08:59:00Z',
    });
    const { work } = await other.owner.register({ workId: 'given-up', input: {} });
    await other.owner.cancel('given-up', { interruptId: waitOf(work), reason: 'nobody wants it' });
    const before = await other.owner.stats();
    await other.box.close();
    asOfVersion1(join(other.dataDir, 'signalbox.db'));
    await other.reopen();
    expect(await faults(other)).toEqual([]);
    const after = await other.owner.stats();
    if (!('kinds' in before) || !('kinds' in after)) throw new Error('by kind is what was asked for');
    expect(after.kinds).toEqual(before.kinds);
    expect(after.kinds).toMatchObject([
      { kind: 'exception-case', class: 'price-mismatch', counts: { READY: 1 } },
      { kind: 'generic', counts: { READY: 1, VP_REVIEW: 1, CANCELLED: 1 }, ended: 1 },
    ]);
    await other.close();
  });
});

/** Takes away from a file what version 2 brought, also from the history of its cases, as the first program left it. */
function asOfVersion1(path: string): void {
  const file = new Database(path);
  const named = (type: string): string[] =>
    (
      file.prepare('SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL').all(type) as {
        name: string;
      }[]
    ).map(({ name }) => name);
  const guards = named('trigger').filter(
    (name) => name.startsWith('history_no_') || name.startsWith('works_'),
  );
  const kept = file
    .prepare(`SELECT sql FROM sqlite_master WHERE name IN ('history_no_update', 'history_no_delete')`)
    .all() as { sql: string }[];
  for (const name of guards) file.exec(`DROP TRIGGER ${name}`);
  for (const name of named('index'))
    if (!SCHEMA_1.includes(`INDEX ${name} `) && !name.startsWith('checkpoints'))
      file.exec(`DROP INDEX ${name}`);
  for (const name of ['works_identity', 'works_due', 'works_ended', 'works_open_lease', 'works_claimable'])
    file.exec(`DROP INDEX IF EXISTS ${name}; ${indexOf(name)}`);
  const cases = file.prepare('SELECT work_id FROM works WHERE class IS NOT NULL').all() as {
    work_id: string;
  }[];
  for (const { work_id } of cases) forgetClass(file, work_id);
  for (const { sql } of kept) file.exec(sql);
  file.exec(`
    DROP TABLE work_counts; DROP TABLE dwell_counts; ALTER TABLE works DROP COLUMN class;
    ALTER TABLE switches DROP COLUMN journal_seq; ALTER TABLE dead_letters DROP COLUMN journal_seq;`);
  file.pragma('user_version = 1');
  file.close();
}

function indexOf(name: string): string {
  const statement = new RegExp(`CREATE INDEX ${name} [^;]*;`).exec(SCHEMA_1)?.[0];
  if (statement === undefined) throw new Error(`version 1 has an index ${name}`);
  return statement;
}

function forgetClass(file: Database.Database, workId: string): void {
  const events = file
    .prepare('SELECT * FROM history WHERE work_id = ? ORDER BY seq')
    .all(workId) as HistoryRow[];
  let prevHash = GENESIS_HASH;
  for (const event of events) {
    const { class: forgotten, ...changes } = JSON.parse(event.changes) as Record<string, unknown>;
    void forgotten;
    const text = canonicalJson(changes);
    const { tenant, seq, at, type, by_principal: by, data } = event;
    const hash = eventHash({ tenant, workId, seq, at, type, by, data, changes: text, prevHash });
    file
      .prepare('UPDATE history SET changes = ?, prev_hash = ?, hash = ? WHERE position = ?')
      .run(text, prevHash, hash, event.position);
    prevHash = hash;
  }
  file.prepare('UPDATE works SET history_hash = ? WHERE work_id = ?').run(prevHash, workId);
}
