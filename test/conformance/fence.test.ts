import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { Command } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileGraph } from '../../src/graph/graph.js';
import { findWork } from '../../src/ledger/reads.js';
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

  it('has room for one live work of an identity, one open lease and one accepted answer', async () => {
    await expect(change(`INSERT INTO works SELECT * FROM works WHERE work_id = 'fenced'`)).rejects.toThrow();
    expect(await faults(desk)).toEqual([]);
  });
});
