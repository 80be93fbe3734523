import { LIMITS } from '../core/limits.js';
import { unstored } from '../ledger/reads.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import { artifactUses, tellUses } from './artifact-uses.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { bytesOf } from './verify-artifacts.js';

/**
 * Every artifact that a work, an accepted or kept receipt, a saved part or a handoff names and that has no record: a
 * walk through the records alone would not miss what lost its record too.
 */
export async function* verifyNamed(desk: Desk, tenant: string, workId?: string): AsyncGenerator<Difference> {
  const told = new Set<string>();
  const tell = async (hashes: readonly string[]): Promise<Difference[]> => {
    const fresh = hashes.filter((sha256) => !told.has(sha256));
    const found: Difference[] = [];
    for (const sha256 of fresh) {
      told.add(sha256);
      found.push(await unrecorded(desk, tenant, sha256));
    }
    return found;
  };
  for (let after = ''; ;) {
    const page = await desk.store.read(() => namedAfter(tenant, workId, after));
    yield* await tell(page);
    if (page.length < LIMITS.verifyBatch) break;
    after = page.at(-1) ?? '';
  }
  for (let after = ''; ;) {
    const page = await desk.store.read(() => handoffsAfter(tenant, workId, after));
    const hashes = [...new Set(page.flatMap((row) => JSON.parse(row.partials) as string[]))];
    for (let from = 0; from < hashes.length; from += LIMITS.verifyBatch) {
      const piece = hashes.slice(from, from + LIMITS.verifyBatch);
      yield* await tell(await desk.store.read(() => unstored(tenant, piece)));
    }
    if (page.length < LIMITS.verifyBatch) break;
    after = page.at(-1)?.handoff_id ?? '';
  }
}

function* namedAfter(tenant: string, workId: string | undefined, after: string): Tx<string[]> {
  const those = sql`
    WHERE tenant = ${tenant} AND artifact_sha256 > ${after} ${workId === undefined ? sql`` : sql`AND work_id = ${workId}`}`;
  const rows = yield* all<{ sha256: string }>(sql`
    SELECT n.sha256 FROM (
      SELECT artifact_sha256 AS sha256 FROM works ${those}
      UNION SELECT artifact_sha256 FROM receipts ${those} AND outcome <> 'refused'
      UNION SELECT artifact_sha256 FROM partials ${those}) n
    WHERE NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.tenant = ${tenant} AND a.sha256 = n.sha256)
    ORDER BY n.sha256 LIMIT ${LIMITS.verifyBatch}`);
  return rows.map((row) => row.sha256);
}

const handoffsAfter = (
  tenant: string,
  workId: string | undefined,
  after: string,
): Tx<{ handoff_id: string; partials: string }[]> =>
  all(sql`
    SELECT handoff_id, partials FROM handoffs
    WHERE tenant = ${tenant} AND handoff_id > ${after} ${workId === undefined ? sql`` : sql`AND work_id = ${workId}`}
      AND partials <> '[]' ORDER BY handoff_id LIMIT ${LIMITS.verifyBatch}`);

async function unrecorded(desk: Desk, tenant: string, sha256: string): Promise<Difference> {
  const bytes = await bytesOf(desk, { tenant, sha256 });
  const uses = await desk.store.read(() => artifactUses(tenant, sha256));
  const known = { ...tellUses(uses), tenant, expected: { record: sha256 } };
  const rests = uses.work ? `; ${uses.work.work_id} (${uses.work.status}) rests on it` : '';
  if (bytes === 'whole')
    return difference('ARTIFACT_WITHOUT_RECORD', {
      ...known,
      found: { file: sha256, record: null },
      detail: `the file of artifact ${sha256} has no record: handed in by ${known.madeBy ?? 'nobody known'} for ${known.workId ?? 'no work'}, input version ${known.inputVersion ?? 'unknown'}${rests}`,
    });
  return difference(bytes === 'missing' ? 'ARTIFACT_MISSING' : 'ARTIFACT_DAMAGED', {
    ...known,
    found: bytes,
    detail: `artifact ${sha256} has no record, and its bytes are ${bytes}${rests}`,
  });
}
