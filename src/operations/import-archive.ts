import type { Checkpoint, CheckpointMetadata, PendingWrite } from '@langchain/langgraph-checkpoint';
import { invalid, Refusal } from '../core/refusals.js';
import { RUN_TOKEN, type CapturedRun, type CapturedRuns } from '../ledger/checkpoints.js';
import { ACCESS_JOURNAL } from '../ledger/journal.js';
import { first, insert, run, sql, type Tx } from '../ledger/sql.js';
import {
  TENANT_TABLES,
  WORK_TABLES,
  type ArchivedCheckpoint,
  type ArchiveLine,
  type Dumped,
  type Row,
  type Tables,
} from './archive-format.js';
import { ArchiveCheck, type Brought } from './check-archive.js';
import type { Desk } from './desk.js';
import { restoreBegun, restoreEnded } from './restoring.js';

/**
 * Brings an archive into a desk whose tenants of those names have no works yet: every row, receipt, event and checkpoint
 * as it was, with the same thread and interrupt IDs, so what was half done is finished here. A work is brought in one
 * transaction. Where it breaks off, the desk holds part of an archive: it says so whenever somebody opens it, and is to
 * be thrown away. For whoever holds the data folder or the database: no door leads here.
 * @throws Refusal INVALID for a desk that is not empty, an archive of another version, or one that is not whole
 */
export async function importArchive(
  desk: Desk,
  lines: AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>,
): Promise<Brought> {
  const check = new ArchiveCheck();
  let begun = false;
  for await (const line of lines) {
    // Thread IDs and hashes are made from the tenant's name, so it stays what it is.
    const tenant = check.take(line);
    const { tenants } = check;
    if (!begun)
      await desk.store.write(() => restoreBegun(desk, tenants, (since) => requireRoom(tenants, since)));
    begun = true;
    if ('work' in line) await bringWork(desk, line.tables, line.thread);
    else if ('tables' in line) await desk.store.write(() => bringTenant(tenant, line.tables));
    else if ('artifact' in line) await bringArtifact(desk, tenant, line);
  }
  const brought = check.finish();
  await desk.store.write(() => restoreEnded(desk, { ...brought }));
  return brought;
}

function* requireRoom(tenants: readonly string[], restoringSince: number | undefined): Tx<void> {
  if (restoringSince !== undefined)
    throw new Refusal(
      'INVALID',
      'another restore into this desk has not ended: bring the archive into another, empty one',
    );
  for (const tenant of tenants) yield* requireEmpty(tenant);
}

function* requireEmpty(tenant: string): Tx<void> {
  const work = yield* first(sql`SELECT work_id FROM works WHERE tenant = ${tenant} LIMIT 1`);
  if (work)
    throw new Refusal(
      'INVALID',
      `an archive is brought into a desk without works; tenant ${tenant} has some`,
    );
  // Whom this desk let in before is told by itself and stays.
  const event = yield* first(
    sql`SELECT seq FROM history WHERE tenant = ${tenant} AND work_id <> ${ACCESS_JOURNAL} LIMIT 1`,
  );
  if (event)
    throw new Refusal(
      'INVALID',
      `an archive is brought into a desk without a history of its own; tenant ${tenant} has one`,
    );
}

/** Who is here already stays who they are here; two chains of how they came in cannot be made one. */
function* bringTenant(tenant: string, tables: Tables): Tx<void> {
  const told = yield* first(
    sql`SELECT seq FROM history WHERE tenant = ${tenant} AND work_id = ${ACCESS_JOURNAL} LIMIT 1`,
  );
  for (const table of [...TENANT_TABLES, 'idempotency_keys', 'dead_letters', 'history']) {
    for (const row of tables[table] ?? []) {
      if (table === 'history' && told && row['work_id'] === ACCESS_JOURNAL) continue;
      yield* run(insert(table, withoutPosition(table, row), 'ON CONFLICT DO NOTHING'));
    }
  }
}

async function bringWork(desk: Desk, tables: Tables, thread: readonly ArchivedCheckpoint[]): Promise<void> {
  const row = tables['works']?.[0];
  if (!row) throw invalid('/tables/works', 'must be there');
  const runs: CapturedRun[] = [];
  let before: Checkpoint['channel_versions'] = {};
  for (const each of thread) {
    const { captured, versions } = await capture(
      await desk.checkpoints.langGraph(),
      String(row['thread_id']),
      each,
      before,
    );
    runs.push(captured);
    before = versions;
  }
  await desk.store.write(function* () {
    // Nobody applies it before it is whole, and whoever did so on the old desk is gone.
    yield* run(insert('works', { ...row, applier: null, applier_until: null }));
    for (const table of WORK_TABLES) {
      for (const each of tables[table] ?? []) yield* run(insert(table, withoutPosition(table, each)));
    }
    // The fence takes a checkpoint only while the work's row names it: each in its turn, the head last.
    for (const each of runs) {
      yield* run(sql`
        UPDATE works SET checkpoint_id = ${each.checkpointId}
        WHERE tenant = ${row['tenant']} AND work_id = ${row['work_id']}`);
      yield* each.insert();
    }
  });
}

function withoutPosition(table: string, row: Row): Row {
  if (table !== 'history') return row;
  const { position, ...rest } = row;
  void position;
  return rest;
}

/** One checkpoint with what waits at it, as a run of its own. */
async function capture(
  runs: CapturedRuns,
  thread_id: string,
  archived: ArchivedCheckpoint,
  before: Checkpoint['channel_versions'],
): Promise<{ captured: CapturedRun; versions: Checkpoint['channel_versions'] }> {
  const { saver } = runs;
  const load = <T>([type, base64]: Dumped): Promise<T> =>
    saver.serde.loadsTyped(type, Buffer.from(base64, 'base64')) as Promise<T>;
  const checkpoint = await load<Checkpoint>(archived.checkpoint);
  const token = runs.open();
  const configurable = { thread_id, checkpoint_ns: '', [RUN_TOKEN]: token };
  const changed = Object.entries(checkpoint.channel_versions).filter(
    ([channel, version]) => before[channel] !== version,
  );
  await saver.put(
    {
      configurable: {
        ...configurable,
        ...(archived.parent === null ? {} : { checkpoint_id: archived.parent }),
      },
    },
    checkpoint,
    await load<CheckpointMetadata>(archived.metadata),
    Object.fromEntries(changed),
  );
  for (const taskId of new Set(archived.writes.map(([task]) => task))) {
    const own = archived.writes.filter(([task]) => task === taskId);
    const writes = await Promise.all(
      own.map(async ([, channel, value]) => [channel, await load(value)] as PendingWrite),
    );
    await saver.putWrites({ configurable: { ...configurable, checkpoint_id: archived.id } }, writes, taskId);
  }
  return { captured: await runs.take(token), versions: checkpoint.channel_versions };
}

async function bringArtifact(
  desk: Desk,
  tenant: string,
  { artifact, base64 }: { readonly artifact: string; readonly base64: string },
): Promise<void> {
  const bytes = Buffer.from(base64, 'base64');
  const content = (async function* () {
    yield await Promise.resolve(bytes);
  })();
  const { sha256 } = await desk.artifacts.put(tenant, content, bytes.byteLength);
  if (sha256 !== artifact) throw invalid('', `the bytes of artifact ${artifact} have another hash`);
}
