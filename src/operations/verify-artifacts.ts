import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { ArtifactDamaged } from '../ledger/artifact-store.js';
import { unstored } from '../ledger/reads.js';
import type { ArtifactRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import { artifactUses, tellUses } from './artifact-uses.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { time } from './views.js';

/** Every artifact on record against its bytes, then every file against what names it. Reads all bytes once. */
export async function* verifyArtifacts(desk: Desk, tenant: string): AsyncGenerator<Difference, number> {
  let artifacts = 0;
  let after = '';
  for (;;) {
    const page = await desk.store.read(() => recordsAfter(tenant, after));
    for (const record of page) {
      artifacts += 1;
      const harm = await verifyBytes(desk, record);
      if (harm) yield harm;
      else if (Number(record.used) === 0) yield await unused(desk, record);
    }
    if (page.length < LIMITS.verifyBatch) break;
    after = page.at(-1)?.sha256 ?? '';
  }
  yield* leftOvers(desk, tenant);
  return artifacts;
}

/** What is wrong with the bytes of one artifact on record; null where they are what its name says. */
export async function verifyBytes(desk: Desk, record: ArtifactRow): Promise<Difference | null> {
  const bytes = await bytesOf(desk, record);
  return bytes === 'whole' ? null : await damaged(desk, record, bytes);
}

type CheckedRecord = ArtifactRow & { readonly used: number | boolean };

function* recordsAfter(tenant: string, after: string): Tx<CheckedRecord[]> {
  return yield* all<CheckedRecord>(sql`
    SELECT a.*, CASE WHEN a.sha256 IN (
      SELECT artifact_sha256 FROM receipts WHERE tenant = ${tenant} AND artifact_sha256 IS NOT NULL
      UNION SELECT artifact_sha256 FROM partials WHERE tenant = ${tenant}) THEN 1 ELSE 0 END AS used
    FROM artifacts a WHERE a.tenant = ${tenant} AND a.sha256 > ${after} ORDER BY a.sha256 LIMIT ${LIMITS.verifyBatch}`);
}

/** Reads the bytes that are stored under this name. */
export async function bytesOf(
  desk: Desk,
  { tenant, sha256 }: Pick<ArtifactRow, 'tenant' | 'sha256'>,
): Promise<'whole' | 'missing' | 'damaged'> {
  try {
    return (await desk.artifacts.get(tenant, sha256)) === null ? 'missing' : 'whole';
  } catch (error) {
    if (error instanceof ArtifactDamaged) return 'damaged';
    // A name that is no hash, as only somebody with the file in their hands writes: nothing is stored under it.
    if (error instanceof Refusal) return 'missing';
    throw error;
  }
}

async function damaged(desk: Desk, record: ArtifactRow, so: 'missing' | 'damaged'): Promise<Difference> {
  const uses = await desk.store.read(() => artifactUses(record.tenant, record.sha256));
  const { workId, madeBy, inputVersion } = tellUses(uses);
  const work = uses.work;
  const whose = work ? `; ${work.work_id} (${work.status}) rests on it` : '';
  return difference(so === 'missing' ? 'ARTIFACT_MISSING' : 'ARTIFACT_DAMAGED', {
    tenant: record.tenant,
    workId,
    madeBy: madeBy ?? record.stored_by,
    inputVersion,
    at: time(record.at),
    expected: { sha256: record.sha256, size: record.size_bytes },
    found: so,
    detail: `the bytes of artifact ${record.sha256} are ${so}${whose}`,
  });
}

/** Stored, never handed in. Who stored it is on record; for what can be told where it held one work at the time. */
async function unused(desk: Desk, record: ArtifactRow): Promise<Difference> {
  const held = await desk.store.read(() =>
    all<{ work_id: string; version: number }>(sql`
      SELECT l.work_id, max(v.version) AS version FROM leases l
      JOIN input_versions v ON v.tenant = l.tenant AND v.work_id = l.work_id AND v.at <= ${record.at}
      WHERE l.tenant = ${record.tenant} AND l.holder = ${record.stored_by} AND l.claimed_at <= ${record.at}
        AND (l.closed_at IS NULL OR l.closed_at >= ${record.at})
      GROUP BY l.work_id LIMIT 2`),
  );
  const only = held.length === 1 ? held[0] : undefined;
  return difference('ARTIFACT_UNUSED', {
    tenant: record.tenant,
    workId: only?.work_id ?? null,
    madeBy: record.stored_by,
    inputVersion: only?.version ?? null,
    at: time(record.at),
    expected: { handedIn: true },
    found: { sha256: record.sha256, handedIn: false },
    detail: `artifact ${record.sha256} was stored by ${record.stored_by} and no result names it${
      only ? `; it held ${only.work_id} then, at input version ${only.version}` : ''
    }`,
  });
}

async function* leftOvers(desk: Desk, tenant: string): AsyncGenerator<Difference> {
  let names: string[] = [];
  for await (const name of desk.artifacts.list(tenant)) {
    names.push(name);
    if (names.length < LIMITS.verifyBatch) continue;
    yield* leftOver(desk, tenant, names);
    names = [];
  }
  yield* leftOver(desk, tenant, names);
}

async function* leftOver(desk: Desk, tenant: string, names: readonly string[]): AsyncGenerator<Difference> {
  if (names.length === 0) return;
  for (const sha256 of await desk.store.read(() => unstored(tenant, names))) {
    // What something on record names is told by whoever looks for what is named.
    const { work, naming } = await desk.store.read(() => artifactUses(tenant, sha256));
    if (work ?? naming) continue;
    yield difference('ARTIFACT_LEFT_OVER', {
      tenant,
      expected: { record: sha256 },
      found: { file: sha256, record: null },
      detail: `the file of artifact ${sha256} has no record: nothing tells who stored it, when, or for what`,
    });
  }
}
