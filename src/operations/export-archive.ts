import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { Refusal } from '../core/refusals.js';
import { JOURNALS } from '../ledger/journal.js';
import { findWork } from '../ledger/reads.js';
import { all, fixed, listOf, sql, type Tx } from '../ledger/sql.js';
import {
  ARCHIVE_VERSION,
  TENANT_TABLES,
  WORK_TABLES,
  type ArchiveLine,
  type ArchivedCheckpoint,
  type Dumped,
  type Row,
  type Tables,
} from './archive-format.js';
import type { Desk } from './desk.js';
import { allTenants } from './tenants.js';

/**
 * The whole desk, or one tenant of it, work by work, while the desk goes on. Each work is whole in itself: its rows are
 * read at one moment, and its thread is followed back from the checkpoint that its row names, which nothing changes any
 * more. For whoever holds the data folder or the database: no door leads here.
 * @throws Refusal NOT_FOUND for a tenant that is not there
 */
export async function* exportArchive(
  desk: Desk,
  { tenant }: { readonly tenant?: string | undefined } = {},
): AsyncGenerator<ArchiveLine> {
  const there = await desk.store.read(allTenants);
  if (tenant !== undefined && !there.includes(tenant))
    throw new Refusal('NOT_FOUND', `no tenant ${tenant}; there are ${there.join(', ')}`);
  const tenants = tenant === undefined ? there : [tenant];
  for (const each of tenants) yield* exportTenant(desk, each, tenants);
}

async function* exportTenant(
  desk: Desk,
  tenant: string,
  tenants: readonly string[],
): AsyncGenerator<ArchiveLine> {
  const ids = await desk.store.read(() =>
    all<{ work_id: string }>(
      sql`SELECT work_id FROM works WHERE tenant = ${tenant} ORDER BY created_at, work_id`,
    ),
  );
  yield { signalbox: ARCHIVE_VERSION, tenant, tenants, at: new Date(desk.now_ms()).toISOString() };
  const { saver } = await desk.checkpoints.langGraph();
  for (const { work_id } of ids) {
    const { tables, threadId, head } = await desk.store.read(() => workTables(tenant, work_id));
    yield { work: work_id, tables, thread: await threadOf(saver, threadId, head) };
  }
  // After the works, so that every artifact and principal that one of them names is among these.
  const tables = await desk.store.read(() => tenantTables(tenant));
  yield { tables };
  const artifacts = tables['artifacts'] ?? [];
  for (const row of artifacts) {
    const sha256 = String(row['sha256']);
    const bytes = await desk.artifacts.get(tenant, sha256);
    if (!bytes) throw new Error(`artifact ${sha256} is missing; "signalbox verify" tells whose it is`);
    yield { artifact: sha256, base64: Buffer.from(bytes).toString('base64') };
  }
  yield { end: { works: ids.length, artifacts: artifacts.length } };
}

function* tenantTables(tenant: string): Tx<Tables> {
  const tables: Record<string, Row[]> = {};
  for (const table of TENANT_TABLES) {
    tables[table] = yield* all<Row>(sql`SELECT * FROM ${fixed(table)} WHERE tenant = ${tenant}`);
  }
  for (const table of ['idempotency_keys', 'dead_letters']) {
    tables[table] = yield* all<Row>(
      sql`SELECT * FROM ${fixed(table)} WHERE tenant = ${tenant} AND work_id IS NULL`,
    );
  }
  tables['history'] = yield* all<Row>(
    sql`SELECT * FROM history WHERE tenant = ${tenant} AND work_id IN ${listOf(JOURNALS)} ORDER BY work_id, seq`,
  );
  return tables;
}

function* workTables(
  tenant: string,
  workId: string,
): Tx<{ tables: Tables; threadId: string; head: string | null }> {
  const row = yield* findWork(tenant, workId);
  if (!row) throw new Error(`work ${workId} was there and is not`);
  const tables: Record<string, Row[]> = { works: [row as unknown as Row] };
  for (const table of WORK_TABLES) {
    const order = fixed(table === 'history' ? 'ORDER BY seq' : '');
    tables[table] = yield* all<Row>(
      sql`SELECT * FROM ${fixed(table)} WHERE tenant = ${tenant} AND work_id = ${workId} ${order}`,
    );
  }
  return { tables, threadId: row.thread_id, head: row.checkpoint_id };
}

async function threadOf(
  saver: BaseCheckpointSaver,
  thread_id: string,
  head: string | null,
): Promise<ArchivedCheckpoint[]> {
  const thread: ArchivedCheckpoint[] = [];
  for (let id = head; id !== null;) {
    const tuple: CheckpointTuple | undefined = await saver.getTuple({
      configurable: { thread_id, checkpoint_ns: '', checkpoint_id: id },
    });
    // Older ones may have been pruned; the head may not.
    if (!tuple) {
      if (id === head) throw new Error(`the head of thread ${thread_id} is missing`);
      break;
    }
    const parent = (tuple.parentConfig?.configurable?.['checkpoint_id'] as string | undefined) ?? null;
    thread.unshift({
      id,
      parent,
      checkpoint: await dumped(saver, tuple.checkpoint),
      metadata: await dumped(saver, tuple.metadata),
      writes: await Promise.all(
        (tuple.pendingWrites ?? []).map(
          async ([taskId, channel, value]) => [taskId, channel, await dumped(saver, value)] as const,
        ),
      ),
    });
    id = parent;
  }
  return thread;
}

async function dumped(saver: BaseCheckpointSaver, value: unknown): Promise<Dumped> {
  const [type, bytes] = await saver.serde.dumpsTyped(value);
  return [type, Buffer.from(bytes).toString('base64')];
}
