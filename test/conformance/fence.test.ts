import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { Command } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileGraph } from '../../src/graph/graph.js';
import { findWork } from '../../src/ledger/reads.js';
import { record } from '../../src/ledger/record.js';
import { run, type Statement } from '../../src/ledger/sql.js';
import { deskBox, faults, inProgress, inReview, type DeskBox } from '../support/desk-box.js';
import { rawSaver } from '../support/raw-saver.js';

let desk: DeskBox;
let raw: ReturnType<typeof rawSaver>;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
  raw = rawSaver(desk);
});
afterAll(async () => {
  await raw.close();
  await desk.close();
});

const rowOf = async (workId: string) => {
  const row = await desk.box.desk.store.read(() => findWork('default', workId));
  if (!row) throw new Error(`no work ${workId}`);
  return row;
};

const SOURCE = { source: 'loop', step: 1, parents: {} } as const;

/** A new checkpoint by LangGraph's own saver, after `parent`. */
const putAfter = (thread_id: string, parent: string | undefined, id = uuid6(0)) =>
  raw.saver.put(
    { configurable: { thread_id, checkpoint_ns: '', checkpoint_id: parent } },
    { ...emptyCheckpoint(), id },
    SOURCE,
    {},
  );

const BELONGS = /belongs to a work/;

describe("the database's own fence around the thread of a work", () => {
  it('takes no checkpoint that the desk did not announce: not after the head, not beside it', async () => {
    const { threadId, workId } = await inProgress(desk, 'fenced');
    const { checkpoint_id } = await rowOf(workId);
    const { parentConfig } = (await raw.saver.getTuple({ configurable: { thread_id: threadId } })) ?? {};
    await expect(putAfter(threadId, checkpoint_id ?? '')).rejects.toThrow(BELONGS);
    await expect(putAfter(threadId, parentConfig?.configurable?.['checkpoint_id'] as string)).rejects.toThrow(
      BELONGS,
    );
    await expect(putAfter(threadId, undefined)).rejects.toThrow(BELONGS);
    // The very ID of the head: an overwrite.
    await expect(putAfter(threadId, undefined, checkpoint_id ?? '')).rejects.toThrow(
      /belongs to a work|UNIQUE/,
    );
  });

  it('takes no answer beside a wait and gives no wait away', async () => {
    const { threadId, workId } = await inProgress(desk, 'armed');
    const { checkpoint_id } = await rowOf(workId);
    const config = { configurable: { thread_id: threadId, checkpoint_ns: '', checkpoint_id } };
    await expect(raw.saver.putWrites(config, [['__resume__', 'approved']], 'task')).rejects.toThrow(BELONGS);
    await expect(raw.saver.deleteThread(threadId)).rejects.toThrow(/is kept/);
    expect((await rowOf(workId)).checkpoint_id).toBe(checkpoint_id);
  });

  it("is the second: the desk's own saver takes nothing but the runs that the desk has opened", async () => {
    const { threadId, workId } = await inProgress(desk, 'unopened');
    const { checkpointer } = await desk.box.graph();
    if (!checkpointer || checkpointer === true) throw new Error('the graph of a desk has a saver');
    const parent = { configurable: { thread_id: threadId, checkpoint_ns: '' } };
    const put = checkpointer.put(parent, { ...emptyCheckpoint(), id: uuid6(0) }, SOURCE, {});
    await expect(put).rejects.toMatchObject({ name: 'PastTheDesk' });
    expect((await desk.owner.show(workId)).status).toBe('IN_PROGRESS');
  });

  it('leaves a thread that is no work alone, but for forks: one parent, one successor', async () => {
    const thread_id = '00000000-0000-4000-8000-000000000001';
    const first = await putAfter(thread_id, undefined);
    const parent = first.configurable?.['checkpoint_id'] as string;
    await putAfter(thread_id, parent);
    // PostgreSQL refuses the second; SQLite's saver writes with OR REPLACE, so there the second takes the first one's place.
    await putAfter(thread_id, parent).catch((error: unknown) => {
      expect(String(error)).toMatch(/checkpoints_no_fork/);
    });
    const parents: unknown[] = [];
    for await (const each of raw.saver.list({ configurable: { thread_id } })) {
      parents.push(each.parentConfig?.configurable?.['checkpoint_id']);
    }
    expect(parents.filter((each) => each === parent)).toHaveLength(1);
  });

  it('leaves a resume past the desk without a trace', async () => {
    const work = await inReview(desk, 'resumed');
    const graph = compileGraph(
      {
        policyOf: () => {
          const kind = desk.box.desk.kinds.get('generic');
          if (!kind) throw new Error('the generic kind is always there');
          return kind;
        },
        validate: () => Promise.reject(new Error('nothing to validate')),
      },
      raw.saver,
    );
    const resumed = graph.invoke(new Command({ resume: 'approved' }), {
      configurable: { thread_id: work.threadId },
    });
    await expect(resumed).rejects.toThrow();
    expect((await desk.owner.show('resumed')).wait?.interruptId).toBe(work.wait?.interruptId);
    expect(await faults(desk)).toEqual([]);
  });
});

describe('the record', () => {
  const change = (text: string): Promise<number> => {
    const statement: Statement = { parts: [text], values: [] };
    return desk.box.desk.store.write(() => run(statement));
  };

  it.each([
    ["UPDATE history SET by_principal = 'mallory' WHERE work_id = 'fenced'", /append-only/],
    ["DELETE FROM history WHERE work_id = 'fenced'", /append-only/],
    ["DELETE FROM receipts WHERE work_id = 'fenced'", /receipts are kept/],
    ["UPDATE receipts SET actor = 'mallory' WHERE work_id = 'fenced'", /receipts are kept/],
  ])('is not changed by %s, whoever holds the connection', async (statement, refused) => {
    await expect(change(statement)).rejects.toThrow(refused);
  });

  /** All but when it was applied. */
  const OF_RECEIPT = {
    text: [
      'receipt_id',
      'tenant',
      'work_id',
      'interrupt_id',
      'action',
      'outcome',
      'code',
      'detail',
      'principal',
      'actor',
      'on_behalf_of',
      'artifact_sha256',
      'head_sha',
      'body',
    ],
    number: ['moves', 'input_version', 'at'],
  };

  it.each([
    ...OF_RECEIPT.text.map((column) => [column, `coalesce(${column}, '') || 'x'`] as const),
    ...OF_RECEIPT.number.map((column) => [column, `coalesce(${column}, 0) + 1`] as const),
  ])('keeps the %s of a receipt', async (column, other) => {
    await expect(change(`UPDATE receipts SET ${column} = ${other} WHERE work_id = 'fenced'`)).rejects.toThrow(
      /receipts are kept/,
    );
  });

  it('takes no write over a row that somebody else has changed since it was read', async () => {
    const stale = await rowOf('armed');
    await desk.owner.note('armed', { text: 'somebody was here' });
    const over = desk.box.desk.store.write(() => record(stale, { type: 'note', by: 'mallory', at_ms: 1 }));
    await expect(over).rejects.toThrow(/changed while it was written|in the way/);
    expect(await faults(desk)).toEqual([]);
  });

  it.each([
    [
      'live work of an identity',
      `UPDATE works SET identity_sha256 = (SELECT identity_sha256 FROM works WHERE work_id = 'armed') WHERE work_id = 'fenced'`,
    ],
    [
      'open lease of a work',
      `INSERT INTO leases (lease_id, tenant, work_id, interrupt_id, purpose, holder, actor, state, claimed_at, expires_at, limit_at, last_answer_at, extensions)
       SELECT 'second', tenant, work_id, interrupt_id, purpose, holder, actor, state, claimed_at, expires_at, limit_at, last_answer_at, extensions FROM leases WHERE work_id = 'fenced'`,
    ],
    [
      'accepted answer to a wait',
      `INSERT INTO receipts (receipt_id, tenant, work_id, interrupt_id, action, outcome, moves, principal, actor, body, at)
       SELECT 'second', tenant, work_id, interrupt_id, action, outcome, moves, principal, actor, body, at FROM receipts WHERE work_id = 'fenced' AND action = 'claim'`,
    ],
  ])('has room for one %s', async (_what, second) => {
    await expect(change(second)).rejects.toThrow(/UNIQUE|unique|in the way/);
    expect(await faults(desk)).toEqual([]);
  });
});
