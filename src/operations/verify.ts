import { LIMITS } from '../core/limits.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { findWork } from '../ledger/reads.js';
import type { WorkRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { OF_THE_DESK } from './restoring.js';
import { allTenants } from './tenants.js';
import { verifyLease, verifyReceipts } from './verify-answers.js';
import { verifyArtifacts } from './verify-artifacts.js';
import { verifyCounts } from './verify-counts.js';
import { verifyHistory } from './verify-history.js';
import { verifyJournal } from './verify-journal.js';
import { verifyNamed } from './verify-named.js';
import { verifyThread } from './verify-thread.js';

/** What was looked at. */
export interface VerifyCounts {
  works: number;
  events: number;
  receipts: number;
  checkpoints: number;
  artifacts: number;
  faults: number;
  notices: number;
}

export function nothingCounted(): VerifyCounts {
  return { works: 0, events: 0, receipts: 0, checkpoints: 0, artifacts: 0, faults: 0, notices: 0 };
}

/**
 * Proves the ledger against itself: history against rows, rows against checkpoints, receipts against events, records
 * against bytes (I10). Gives every difference as it is found and the counts at the end. Works that change meanwhile
 * are looked at again, so it may run beside a working desk; memory does not grow with the number of works.
 */
export async function* verifyLedger(
  desk: Desk,
  { tenant }: { readonly tenant?: string } = {},
): AsyncGenerator<Difference, VerifyCounts> {
  const counts = nothingCounted();
  const count = (found: Difference): Difference => {
    counts[found.severity === 'fault' ? 'faults' : 'notices'] += 1;
    return found;
  };
  for (const detail of await desk.store.damage())
    yield count(difference('DATABASE_DAMAGED', { tenant: tenant ?? '', detail }));
  const tenants = tenant === undefined ? await desk.store.read(allTenants) : [tenant];
  if (tenant === undefined) {
    const journal = await verifyJournal(desk, OF_THE_DESK);
    counts.events += journal.events;
    for (const found of journal.differences) yield count(found);
  }
  for (const each of tenants) {
    let after = '';
    for (;;) {
      const page = await desk.store.read(() => worksAfter(each, after));
      for (const row of page) {
        for (const found of await settled(desk, row, counts)) yield count(found);
      }
      if (page.length < LIMITS.verifyBatch) break;
      after = page.at(-1)?.work_id ?? '';
    }
    for (const found of await desk.store.read(() => duplicates(each))) yield count(found);
    for (const found of await desk.store.read(() => verifyCounts(each))) yield count(found);
    const journal = await verifyJournal(desk, each);
    counts.events += journal.events;
    for (const found of journal.differences) yield count(found);
    const artifacts = verifyArtifacts(desk, each);
    let step = await artifacts.next();
    for (; !step.done; step = await artifacts.next()) yield count(step.value);
    counts.artifacts += step.value;
    for await (const found of verifyNamed(desk, each)) yield count(found);
  }
  return counts;
}

function* worksAfter(tenant: string, after: string): Tx<WorkRow[]> {
  return yield* all<WorkRow>(
    sql`SELECT * FROM works WHERE tenant = ${tenant} AND work_id > ${after} ORDER BY work_id LIMIT ${LIMITS.verifyBatch}`,
  );
}

/** What is wrong with one work at a moment at which nobody was changing it. */
export async function settled(
  desk: Desk,
  seen: WorkRow,
  counts: VerifyCounts,
): Promise<readonly Difference[]> {
  counts.works += 1;
  let row = seen;
  for (let look = 1; ; look += 1) {
    const history = await verifyHistory(desk, row);
    const thread = await verifyThread(desk, row);
    const answers = await verifyReceipts(desk, row, history);
    const lease = await verifyLease(desk, row);
    const found = [...history.differences, ...thread.differences, ...answers.differences, ...lease];
    const now = found.length === 0 ? row : await desk.store.read(() => findWork(row.tenant, row.work_id));
    if (!now || now.history_seq === row.history_seq || look === LIMITS.verifyLooks) {
      counts.events += history.events;
      counts.receipts += answers.receipts;
      counts.checkpoints += thread.checkpoints;
      return now && now.history_seq === row.history_seq ? found : [];
    }
    row = now;
  }
}

/** I1, should the index that forbids it ever be gone. */
function* duplicates(tenant: string): Tx<Difference[]> {
  const rows = yield* all<{
    kind: string;
    identity_sha256: string;
    works: number;
    one: string;
    other: string;
  }>(sql`
    SELECT kind, identity_sha256, count(*) AS works, min(work_id) AS one, max(work_id) AS other FROM works
    WHERE tenant = ${tenant} AND status NOT IN ('DONE', 'CANCELLED')
    GROUP BY kind, identity_sha256 HAVING count(*) > 1`);
  return rows.map((row) =>
    difference('IDENTITY_DUPLICATE', {
      tenant,
      workId: row.one,
      expected: { liveWorks: 1 },
      found: { liveWorks: row.works, workIds: [row.one, row.other] },
      detail: `${row.works} live works of kind ${row.kind} have one identity, among them ${row.one} and ${row.other}`,
    }),
  );
}

/** What a door answers: everything counted, the first differences listed. */
export interface VerifyReport extends VerifyCounts {
  /** No faults; notices may be there. */
  readonly clean: boolean;
  readonly differences: readonly Difference[];
}

/**
 * Verifies the caller's tenant.
 * @throws Refusal FORBIDDEN for anybody but operators and owners
 */
export async function verify(desk: Desk, who: Authenticated): Promise<VerifyReport> {
  await desk.store.read(function* () {
    requireRole(yield* authenticatedCaller(who), ['operator'], 'verifying');
  });
  return await reported(verifyLedger(desk, { tenant: who.tenant }));
}

/** Verifies every tenant, for whoever holds the data folder or the database: no door leads here. */
export async function verifyDesk(
  desk: Desk,
): Promise<VerifyReport & { readonly tenants: readonly string[] }> {
  const tenants = await desk.store.read(allTenants);
  return { tenants, ...(await reported(verifyLedger(desk))) };
}

async function reported(walk: AsyncGenerator<Difference, VerifyCounts>): Promise<VerifyReport> {
  const differences: Difference[] = [];
  let step = await walk.next();
  for (; !step.done; step = await walk.next()) {
    if (differences.length < LIMITS.verifyDifferences) differences.push(step.value);
  }
  return { clean: step.value.faults === 0, ...step.value, differences };
}
