import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { Position } from '../core/work.js';
import { positionColumns, type WorkRow } from '../ledger/rows.js';
import { all, first, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { about } from './verify-history.js';

/** The work's thread against its row: one line of checkpoints, whose head says what the row says and waits where the row waits. */
export async function verifyThread(
  desk: Desk,
  row: WorkRow,
): Promise<{ readonly checkpoints: number; readonly differences: readonly Difference[] }> {
  const line = await desk.store.read(() => lineOf(row.thread_id));
  const differences = line.forks.map((parent) =>
    difference('CHECKPOINT_FORK', {
      ...about(row),
      expected: { children: 1 },
      found: { parent, children: 'several' },
      detail: `checkpoint ${parent || '(none)'} has more than one successor: the thread forks`,
    }),
  );
  if (row.checkpoint_id === null && line.count === 0) return { checkpoints: 0, differences };
  if (line.heads.length !== 1 || line.heads[0] !== row.checkpoint_id) {
    differences.push(
      difference('CHECKPOINT_HEAD', {
        ...about(row),
        expected: { head: row.checkpoint_id },
        found: { heads: line.heads },
        detail: "the thread's last checkpoint is not the one the work's row names",
      }),
    );
  }
  const head = row.checkpoint_id === null ? undefined : await headOf(desk, row.thread_id, row.checkpoint_id);
  if (!head) {
    differences.push(
      difference('CHECKPOINT_MISSING', {
        ...about(row),
        expected: { checkpointId: row.checkpoint_id },
        found: null,
        detail: "the checkpoint that the work's row names does not exist",
      }),
    );
    return { checkpoints: line.count, differences };
  }
  return {
    checkpoints: line.count,
    differences: [...differences, ...unlikePosition(row, head), ...unlikeWait(row, head)],
  };
}

function* lineOf(threadId: string): Tx<{ count: number; forks: string[]; heads: string[] }> {
  const own = sql`c.thread_id = ${threadId} AND c.checkpoint_ns = ''`;
  const count = yield* first<{ count: number }>(
    sql`SELECT count(*) AS count FROM checkpoints c WHERE ${own}`,
  );
  const forks = yield* all<{ parent: string }>(sql`
    SELECT coalesce(c.parent_checkpoint_id, '') AS parent FROM checkpoints c WHERE ${own}
    GROUP BY coalesce(c.parent_checkpoint_id, '') HAVING count(*) > 1`);
  const heads = yield* all<{ head: string }>(sql`
    SELECT c.checkpoint_id AS head FROM checkpoints c WHERE ${own} AND NOT EXISTS (
      SELECT 1 FROM checkpoints n WHERE n.thread_id = c.thread_id AND n.checkpoint_ns = c.checkpoint_ns
        AND coalesce(n.parent_checkpoint_id, '') = c.checkpoint_id)
    ORDER BY c.checkpoint_id`);
  return {
    count: count?.count ?? 0,
    forks: forks.map((each) => each.parent),
    heads: heads.map((each) => each.head),
  };
}

async function headOf(
  desk: Desk,
  thread_id: string,
  checkpoint_id: string,
): Promise<CheckpointTuple | undefined> {
  const { saver } = await desk.checkpoints.langGraph();
  return await saver.getTuple({
    configurable: { thread_id, checkpoint_ns: '', checkpoint_id },
  });
}

/** Columns that copy the checkpoint, spelled as the row spells them. */
function unlikePosition(row: WorkRow, head: CheckpointTuple): Difference[] {
  const position = head.checkpoint.channel_values['work'] as Position | undefined;
  const columns: Record<string, unknown> = position
    ? {
        tenant: position.tenant,
        work_id: position.workId,
        kind: position.kind,
        ...positionColumns(position),
        // A judgement is reserved without moving the thread, so only a holder the checkpoint names must be the row's.
        ...(position.holder
          ? { holder: position.holder.principal, holder_actor: position.holder.actor }
          : {}),
      }
    : { work: 'a position' };
  const found = row as unknown as Record<string, unknown>;
  return Object.entries(columns)
    .filter(([column, value]) => found[column] !== value)
    .map(([column, value]) =>
      difference('CHECKPOINT_POSITION', {
        ...about(row),
        madeBy: position?.author?.principal ?? null,
        expected: { [column]: value },
        found: { [column]: found[column] ?? null },
        detail: `${column} of the current row is not what the thread's checkpoint holds`,
      }),
    );
}

function unlikeWait(row: WorkRow, head: CheckpointTuple): Difference[] {
  const armed = (head.pendingWrites ?? [])
    .filter(([, channel]) => channel === '__interrupt__')
    .flatMap(([, , value]) => value as { id?: string }[])
    .flatMap((each) => each.id ?? []);
  const expected = row.interrupt_id === null ? [] : [row.interrupt_id];
  if (armed.length === expected.length && armed[0] === expected[0]) return [];
  return [
    difference('CHECKPOINT_INTERRUPT', {
      ...about(row),
      expected: { interruptId: row.interrupt_id },
      found: { interruptIds: armed },
      detail: "the wait that the work's row names is not the one armed in its thread",
    }),
  ];
}
