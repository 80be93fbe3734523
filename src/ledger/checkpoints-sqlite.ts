import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import { headFrom, type CapturedRuns, type DeskCheckpoints } from './checkpoints.js';
import { first, insert, run, sql } from './sql.js';
import type { SqliteStore } from './sqlite.js';

/** The tables of LangGraph's SqliteSaver, to the letter: whatever opens the file with it finds its own. */
const TABLES = `
CREATE TABLE IF NOT EXISTS checkpoints (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT,
  type TEXT,
  checkpoint BLOB,
  metadata BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE TABLE IF NOT EXISTS writes (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT,
  value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);`;

/** LangGraph's channel of a pending interrupt, and its place among a task's writes (its WRITES_IDX_MAP). */
const INTERRUPT = '__interrupt__';
const INTERRUPT_IDX = -3;

export function sqliteCheckpoints(store: SqliteStore): DeskCheckpoints {
  store.connection.exec(TABLES);
  let runs: Promise<CapturedRuns> | undefined;
  return {
    // LangGraph's saver takes longer to load than most commands take: only who needs it waits for it.
    langGraph: () => (runs ??= import('./runs-sqlite.js').then(({ sqliteRuns }) => sqliteRuns(store))),
    *head(threadId, checkpointId) {
      const row = yield* first<{ checkpoint: Uint8Array | string; metadata: Uint8Array | string }>(sql`
        SELECT checkpoint, metadata FROM checkpoints
        WHERE thread_id = ${threadId} AND checkpoint_ns = '' AND checkpoint_id = ${checkpointId} AND type = 'json'`);
      if (!row) return undefined;
      const checkpoint = parsed(row.checkpoint) as Checkpoint;
      return headFrom(checkpoint, parsed(row.metadata), checkpoint.channel_values['work']);
    },
    *write(threadId, parentId, { checkpoint, metadata, wait }) {
      const place = { thread_id: threadId, checkpoint_ns: '', checkpoint_id: checkpoint.id };
      // Writes first: once its checkpoint stands, the database takes no more for it, from nobody.
      if (wait)
        yield* run(
          insert('writes', {
            ...place,
            task_id: wait.taskId,
            idx: INTERRUPT_IDX,
            channel: INTERRUPT,
            type: 'json',
            value: bytesOf([wait.interrupt]),
          }),
        );
      yield* run(
        insert('checkpoints', {
          ...place,
          parent_checkpoint_id: parentId,
          type: 'json',
          checkpoint: bytesOf(checkpoint),
          metadata: bytesOf(metadata),
        }),
      );
    },
    *prune(threadId, headId) {
      yield* run(sql`DELETE FROM writes WHERE thread_id = ${threadId} AND checkpoint_id <> ${headId}`);
      return yield* run(
        sql`DELETE FROM checkpoints WHERE thread_id = ${threadId} AND checkpoint_id <> ${headId}`,
      );
    },
  };
}

/** What LangGraph's serializer makes of plain JSON. */
const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

const parsed = (stored: Uint8Array | string): unknown => JSON.parse(Buffer.from(stored).toString());
