import { randomUUID } from 'node:crypto';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  WRITES_IDX_MAP,
  copyCheckpoint,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { PastTheDesk, RUN_TOKEN, type CapturedRun, type CapturedRuns } from './checkpoints.js';
import { insert, run, type SqlValue } from './sql.js';
import type { SqliteStore } from './sqlite.js';

type Row = Record<string, SqlValue>;

interface Capture {
  checkpoints: Promise<Row>[];
  writes: Promise<Row[]>[];
}

/** LangGraph's SqliteSaver over the store's own connection: reads are its own, writes are captured. */
class CapturingSaver extends SqliteSaver {
  readonly captures = new Map<string, Capture>();

  /**
   * The head of a work's thread is the one its row names. LangGraph takes the greatest checkpoint ID, which is made
   * from the clock: after a clock was set back, that is not the newest.
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id, checkpoint_id } = config.configurable ?? {};
    if (checkpoint_id) return await super.getTuple(config);
    const head = this.db
      .prepare<[unknown], { checkpoint_id: string | null }>(
        'SELECT checkpoint_id FROM works WHERE thread_id = ?',
      )
      .get(thread_id)?.checkpoint_id;
    if (head === undefined || head === null) return await super.getTuple(config);
    return await super.getTuple({ ...config, configurable: { ...config.configurable, checkpoint_id: head } });
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const capture = this.captureOf(config);
    if (!capture) throw new PastTheDesk();
    const { thread_id, checkpoint_ns = '', checkpoint_id } = config.configurable ?? {};
    capture.checkpoints.push(
      (async () => {
        const [[type, body], [, meta]] = await Promise.all([
          this.serde.dumpsTyped(copyCheckpoint(checkpoint)),
          this.serde.dumpsTyped(metadata),
        ]);
        return {
          thread_id: thread_id as string,
          checkpoint_ns: checkpoint_ns as string,
          checkpoint_id: checkpoint.id,
          parent_checkpoint_id: (checkpoint_id as string | undefined) ?? null,
          type,
          checkpoint: body,
          metadata: meta,
        };
      })(),
    );
    return { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } };
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    // A run past the desk leaves no trace beside a wait: neither its answer nor its error.
    const capture = this.captureOf(config);
    if (!capture) return;
    const { thread_id, checkpoint_ns = '', checkpoint_id } = config.configurable ?? {};
    capture.writes.push(
      Promise.all(
        writes.map(async ([channel, value], index) => {
          const [type, body] = await this.serde.dumpsTyped(value);
          return {
            thread_id: thread_id as string,
            checkpoint_ns: checkpoint_ns as string,
            checkpoint_id: checkpoint_id as string,
            task_id: taskId,
            idx: WRITES_IDX_MAP[channel] ?? index,
            channel,
            type,
            value: body,
          };
        }),
      ),
    );
    return Promise.resolve();
  }

  override deleteThread(): Promise<void> {
    return Promise.reject(new PastTheDesk());
  }

  private captureOf(config: RunnableConfig): Capture | undefined {
    const token: unknown = config.configurable?.[RUN_TOKEN];
    return typeof token === 'string' ? this.captures.get(token) : undefined;
  }
}

/** @param store whose tables are there already */
export function sqliteRuns(store: SqliteStore): CapturedRuns {
  const saver = new CapturingSaver(store.connection);
  return {
    saver,
    open() {
      const token = randomUUID();
      saver.captures.set(token, { checkpoints: [], writes: [] });
      return token;
    },
    discard(token) {
      saver.captures.delete(token);
    },
    async take(token) {
      const capture = saver.captures.get(token);
      saver.captures.delete(token);
      const checkpoints = await Promise.all(capture?.checkpoints ?? []);
      const writes = (await Promise.all(capture?.writes ?? [])).flat();
      return captured(checkpoints, writes);
    },
  };
}

function captured(checkpoints: readonly Row[], writes: readonly Row[]): CapturedRun {
  const head = checkpoints.at(-1)?.['checkpoint_id'] ?? null;
  return {
    checkpointId: head as string | null,
    *insert() {
      // Writes first: once its checkpoint stands, the database takes no more for it, from nobody. The answer that led
      // here is in its receipt, so of the run's writes only those of the new head matter.
      for (const row of writes) if (row['checkpoint_id'] === head) yield* run(insert('writes', row));
      for (const row of checkpoints) yield* run(insert('checkpoints', row));
    },
  };
}
