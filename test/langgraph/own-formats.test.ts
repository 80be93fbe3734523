import Database from 'better-sqlite3';
import { INTERRUPT, WRITES_IDX_MAP, uuid6 } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkpointId } from '../../src/graph/checkpoint-id.js';
import { all, fixed } from '../../src/ledger/sql.js';
import { deskBox, ready, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
  await ready(desk, 'w');
});
afterAll(() => desk.close());

/** Made without loading LangGraph (decision 99), so that it is LangGraph's own form is held here. */
describe('what the desk writes for LangGraph in its own words', () => {
  it.each(['checkpoints', 'writes'])('has the columns that SqliteSaver gives %s', async (table) => {
    const database = new Database(':memory:');
    const saver = new SqliteSaver(database) as unknown as { setup(): void };
    saver.setup();
    const asked = `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('${table}') ORDER BY cid`;
    const theirs = database.prepare(asked).all();
    database.close();
    expect(await desk.box.desk.store.read(() => all(fixed(asked)))).toEqual(theirs);
    expect(theirs.length).toBeGreaterThan(5);
  });

  it('has an interrupt at the place among a task’s writes where LangGraph looks for it', async () => {
    const rows = await desk.box.desk.store.read(() => all(fixed('SELECT DISTINCT channel, idx FROM writes')));
    expect(rows).toEqual([{ channel: INTERRUPT, idx: WRITES_IDX_MAP[INTERRUPT] }]);
  });

  it.each([-2, -1, 0, 1, 7, 4_000])('has IDs of checkpoints as of step %i', (step) => {
    const tail = (id: string): string[] => [id.slice(14, 15), id.slice(19, 23)];
    expect(tail(checkpointId(step))).toEqual(tail(uuid6(step)));
  });

  it('has IDs that sort as they were made, however many a millisecond brings', () => {
    const made = Array.from({ length: 30_000 }, () => checkpointId(1));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });
});
