import { randomUUID } from 'node:crypto';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  INTERRUPT,
  WRITES_IDX_MAP,
  copyCheckpoint,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { PastTheDesk, RUN_TOKEN, headFrom, type CapturedRun, type Checkpoints } from './checkpoints.js';
import type { PostgresStore } from './postgres.js';
import { first, insert, run, send, sql, type SqlValue } from './sql.js';

type Row = Record<string, SqlValue>;

interface Put {
  readonly checkpoint: Row;
  /** The channels that changed, each with its new version. */
  readonly blobs: readonly Row[];
}

interface Capture {
  readonly puts: Promise<Put>[];
  readonly writes: Promise<Row[]>[];
}

/** LangGraph's PostgresSaver over the store's own pool: reads are its own, writes are captured. */
class CapturingSaver extends PostgresSaver {
  readonly captures = new Map<string, Capture>();

  constructor(
    private readonly store: PostgresStore,
    schema: string,
  ) {
    super(store.pool, undefined, { schema });
  }

  /** The head of a work's thread is the one its row names, whatever the clock that made the checkpoint IDs says. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id, checkpoint_id } = config.configurable ?? {};
    const head = checkpoint_id ? undefined : await this.headOf(thread_id as string);
    const asked = head
      ? { ...config, configurable: { ...config.configurable, checkpoint_id: head } }
      : config;
    return await this.store.retrying(() => super.getTuple(asked));
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const capture = this.captureOf(config);
    if (!capture) throw new PastTheDesk();
    const { thread_id, checkpoint_ns = '' } = config.configurable ?? {};
    capture.puts.push(this.dump(config, copyCheckpoint(checkpoint), metadata, newVersions));
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
          const [type, blob] = await this.serde.dumpsTyped(value);
          return {
            thread_id: thread_id as string,
            checkpoint_ns: checkpoint_ns as string,
            checkpoint_id: checkpoint_id as string,
            task_id: taskId,
            idx: WRITES_IDX_MAP[channel] ?? index,
            channel,
            type,
            blob,
          };
        }),
      ),
    );
    return Promise.resolve();
  }

  override deleteThread(): Promise<void> {
    return Promise.reject(new PastTheDesk());
  }

  private async headOf(thread_id: string): Promise<string | null | undefined> {
    const { rows } = await this.store.retrying(() =>
      this.store.pool.query<{ checkpoint_id: string | null }>(
        'SELECT checkpoint_id FROM works WHERE thread_id = $1',
        [thread_id],
      ),
    );
    return rows[0]?.checkpoint_id;
  }

  /** The rows that PostgresSaver writes for a checkpoint: itself without its values, and one for each changed channel. */
  private async dump(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<Put> {
    const { thread_id, checkpoint_ns = '', checkpoint_id } = config.configurable ?? {};
    const [blobs, meta] = await Promise.all([
      this._dumpBlobs(thread_id as string, checkpoint_ns as string, checkpoint.channel_values, newVersions),
      this._dumpMetadata(metadata) as Promise<unknown>,
    ]);
    return {
      checkpoint: {
        thread_id: thread_id as string,
        checkpoint_ns: checkpoint_ns as string,
        checkpoint_id: checkpoint.id,
        parent_checkpoint_id: (checkpoint_id as string | undefined) ?? null,
        checkpoint: JSON.stringify(this._dumpCheckpoint(checkpoint)),
        metadata: JSON.stringify(meta),
      },
      blobs: blobs.map(([thread, ns, channel, version, type, blob]) => ({
        thread_id: thread,
        checkpoint_ns: ns,
        channel,
        version,
        type,
        blob: blob ?? null,
      })),
    };
  }

  private captureOf(config: RunnableConfig): Capture | undefined {
    const token: unknown = config.configurable?.[RUN_TOKEN];
    return typeof token === 'string' ? this.captures.get(token) : undefined;
  }
}

/** @param schema the database schema that holds LangGraph's tables, beside the desk's */
export function postgresCheckpoints(
  store: PostgresStore,
  schema: string,
): Checkpoints & { setup(): Promise<void> } {
  const saver = new CapturingSaver(store, schema);
  return {
    saver,
    setup: () => saver.setup(),
    open() {
      const token = randomUUID();
      saver.captures.set(token, { puts: [], writes: [] });
      return token;
    },
    discard(token) {
      saver.captures.delete(token);
    },
    *head(threadId, checkpointId) {
      const row = yield* first<{ checkpoint: unknown; metadata: unknown; work: Uint8Array }>(sql`
        SELECT c.checkpoint, c.metadata, b.blob AS work FROM checkpoints c JOIN checkpoint_blobs b
          ON b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = 'work'
          AND b.version = c.checkpoint -> 'channel_versions' ->> 'work' AND b.type = 'json'
        WHERE c.thread_id = ${threadId} AND c.checkpoint_ns = '' AND c.checkpoint_id = ${checkpointId}`);
      if (!row) return undefined;
      return headFrom(row.checkpoint, row.metadata, JSON.parse(Buffer.from(row.work).toString()));
    },
    *write(threadId, parentId, { checkpoint, metadata, changed, wait }) {
      const place = { thread_id: threadId, checkpoint_ns: '' };
      // Writes first: once its checkpoint stands, the database takes no more for it, from nobody.
      if (wait)
        yield* send(
          insert('checkpoint_writes', {
            ...place,
            checkpoint_id: checkpoint.id,
            task_id: wait.taskId,
            idx: WRITES_IDX_MAP[INTERRUPT] ?? 0,
            channel: INTERRUPT,
            ...blobOf([wait.interrupt]),
          }),
        );
      const { channel_values: values, ...rest } = checkpoint;
      for (const [channel, version] of Object.entries(changed))
        yield* send(
          insert('checkpoint_blobs', {
            ...place,
            channel,
            version: String(version),
            ...(channel in values ? blobOf(values[channel]) : { type: 'empty', blob: null }),
          }),
        );
      yield* send(
        insert('checkpoints', {
          ...place,
          checkpoint_id: checkpoint.id,
          parent_checkpoint_id: parentId,
          checkpoint: JSON.stringify(rest),
          metadata: JSON.stringify(metadata),
        }),
      );
    },
    *prune(threadId, headId) {
      yield* run(
        sql`DELETE FROM checkpoint_writes WHERE thread_id = ${threadId} AND checkpoint_id <> ${headId}`,
      );
      const removed = yield* run(
        sql`DELETE FROM checkpoints WHERE thread_id = ${threadId} AND checkpoint_id <> ${headId}`,
      );
      // The head shares the values of channels that have not changed since an older checkpoint.
      yield* run(sql`
        DELETE FROM checkpoint_blobs b WHERE b.thread_id = ${threadId} AND NOT EXISTS (
          SELECT 1 FROM checkpoints c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
            AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)`);
      return removed;
    },
    async take(token) {
      const capture = saver.captures.get(token);
      saver.captures.delete(token);
      const puts = await Promise.all(capture?.puts ?? []);
      const writes = (await Promise.all(capture?.writes ?? [])).flat();
      return captured(puts, writes);
    },
  };
}

/** What LangGraph's serializer makes of plain JSON. */
const blobOf = (value: unknown): { type: string; blob: Uint8Array } => ({
  type: 'json',
  blob: Buffer.from(JSON.stringify(value)),
});

function captured(puts: readonly Put[], writes: readonly Row[]): CapturedRun {
  const head = puts.at(-1)?.checkpoint['checkpoint_id'] ?? null;
  return {
    checkpointId: head as string | null,
    *insert() {
      // Writes first: once its checkpoint stands, the database takes no more for it, from nobody. The answer that led
      // here is in its receipt, so of the run's writes only those of the new head matter.
      for (const row of writes)
        if (row['checkpoint_id'] === head) yield* send(insert('checkpoint_writes', row));
      for (const put of puts) {
        for (const row of put.blobs) yield* send(insert('checkpoint_blobs', row));
        yield* send(insert('checkpoints', put.checkpoint));
      }
    },
  };
}
