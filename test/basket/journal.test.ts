import Database from 'better-sqlite3';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { keepLetter } from '../../src/operations/cases/keep-letter.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';

let desk: TestDesk;
afterEach(() => desk.close());

/** What somebody with the database's own rights may do, past everything that would refuse it. */
async function tamper(statement: string, trigger?: { name: string; table: string }): Promise<void> {
  if (desk.databaseUrl === undefined) {
    const raw = new Database(join(desk.dataDir, 'signalbox.db'), { timeout: 5_000 });
    if (trigger) raw.exec(`DROP TRIGGER ${trigger.name}`);
    raw.exec(statement);
    raw.close();
    return;
  }
  const raw = new pg.Client({ connectionString: desk.databaseUrl });
  await raw.connect();
  if (trigger) await raw.query(`DROP TRIGGER ${trigger.name} ON ${trigger.table}`);
  await raw.query(statement);
  await raw.end();
}

const letter = (sourceId: string, attempts = 3) => ({
  tenant: 'default',
  source: 'intake' as const,
  sourceId,
  reason: 'it is not JSON',
  attempts,
  body: 'not JSON',
  workId: null,
});

const found = async () =>
  (await desk.box.as('op').verify()).differences.map(({ code, detail }) => ({ code, detail }));

async function aStory(): Promise<string> {
  const op = desk.box.as('op');
  await op.setSwitch({ switch: 'intake', paused: true, reason: 'the queue is wrong' });
  await op.setSwitch({ switch: 'claims', paused: true, reason: 'so are the workers' });
  await op.setSwitch({ switch: 'intake', paused: false, reason: 'it is right again' });
  await Promise.all(['a', 'b', 'c'].map((id) => keepLetter(desk.box.desk, letter(id))));
  await keepLetter(desk.box.desk, letter('a', 4));
  const [first] = (await op.deadLetters()).items;
  const id = first?.deadLetterId ?? '';
  await op.closeDeadLetter(id, { reason: 'nobody needs it' });
  return id;
}

describe('what belongs to no work', () => {
  it('is history all the same: turns of switches and dead letters, chained, in the stream of events', async () => {
    desk = await deskWithPeople();
    await aStory();
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const event of desk.box.as('op').events({ after: 0 }, { signal: ending.signal })) {
      expect(event.workId).toBeNull();
      // How these people came in has a chain of its own.
      if (event.type.startsWith('principal.')) continue;
      seen.push(`${event.seq} ${event.type} ${event.by}`);
      if (seen.length === 8) ending.abort();
    }
    expect(seen).toEqual([
      '1 switch.turned op',
      '2 switch.turned op',
      '3 switch.turned op',
      '4 letter.kept signalbox',
      '5 letter.kept signalbox',
      '6 letter.kept signalbox',
      '7 letter.kept signalbox',
      '8 letter.closed op',
    ]);
    expect(await found()).toEqual([]);
  });

  it.each([
    [
      'a turn that is told otherwise',
      "UPDATE switches SET paused = 0 WHERE number = 1 AND switch = 'intake'",
    ],
    ['a turn that is gone', "DELETE FROM switches WHERE number = 1 AND switch = 'claims'"],
    ['a reason that is another', "UPDATE dead_letters SET settled_reason = 'lost' WHERE state = 'closed'"],
    ['a body that is another', "UPDATE dead_letters SET body = 'JSON' WHERE state = 'closed'"],
    ['a letter that is gone', "DELETE FROM dead_letters WHERE state = 'closed'"],
    [
      'a letter that is open again',
      "UPDATE dead_letters SET state = 'open', settled_at = NULL, settled_reason = NULL WHERE state = 'closed'",
    ],
  ])('is compared with its journal by verify, which finds %s', async (_name, statement) => {
    desk = await deskWithPeople();
    await aStory();
    await tamper(statement);
    expect(await found()).toMatchObject([{ code: 'JOURNAL' }]);
  });

  it('has a journal that nobody can rewrite unseen', async () => {
    desk = await deskWithPeople();
    await aStory();
    await tamper("UPDATE history SET by_principal = 'ann' WHERE work_id = '' AND seq = 2", {
      name: 'history_no_update',
      table: 'history',
    });
    expect(await found()).toMatchObject([{ code: 'CHAIN_BROKEN' }]);
  });
});

describe('the numbers that are kept', () => {
  it('are what counting gives, and verify finds them where they are not', async () => {
    desk = await deskWithPeople();
    const { work } = await desk.box.as('ai').recordException(exception('e-1'));
    await desk.box.as('ai').recordException(exception('e-2'));
    await claimAndDecide(desk.box, 'ann', work.workId);
    expect(await found()).toEqual([]);
    await tamper("UPDATE work_counts SET works = works + 1 WHERE status = 'READY' AND works > 0");
    expect(await found()).toMatchObject([{ code: 'COUNT' }]);
    await tamper("UPDATE work_counts SET works = works - 1 WHERE status = 'READY' AND works > 0");
    await tamper("UPDATE cases SET classification = 'other' WHERE exception_id = 'e-2'");
    expect(await found()).toMatchObject([{ code: 'COUNT' }]);
  });
});
