import { Refusal } from '../core/refusals.js';
import { authenticatedCaller, maySee, requireRole, type Authenticated } from '../gates/authorization.js';
import { findArtifact, findWork } from '../ledger/reads.js';
import type { Desk } from './desk.js';
import { nothingCounted, settled, type VerifyReport } from './verify.js';
import { verifyBytes } from './verify-artifacts.js';
import { verifyNamed } from './verify-named.js';

export interface WorkReport extends VerifyReport {
  readonly workId: string;
  /** The hash that its history ends in at this moment: whoever notes it down can tell later that nothing before it was changed. */
  readonly historyHash: string;
}

/**
 * Proves one work: its history replayed link by link against its row, its row against the thread's checkpoints, its
 * receipts against its events, its lease, the bytes of its artifact, and that whatever artifact it names is there. Whoever may see the work may ask.
 * @throws Refusal NOT_FOUND, also for a work that the caller may not see
 */
export async function verifyWork(desk: Desk, who: Authenticated, workId: string): Promise<WorkReport> {
  const { row, record } = await desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'verifying a work');
    const found = yield* findWork(caller.tenant, workId);
    if (!found || !maySee(caller, found)) throw new Refusal('NOT_FOUND', `no work ${workId}`);
    const sha256 = found.artifact_sha256;
    return { row: found, record: sha256 === null ? undefined : yield* findArtifact(found.tenant, sha256) };
  });
  const counts = nothingCounted();
  const differences = [...(await settled(desk, row, counts))];
  if (record) {
    counts.artifacts = 1;
    const harm = await verifyBytes(desk, record);
    if (harm) differences.push(harm);
  }
  for await (const found of verifyNamed(desk, row.tenant, workId)) differences.push(found);
  for (const { severity } of differences) counts[severity === 'fault' ? 'faults' : 'notices'] += 1;
  const clean = counts.faults === 0;
  return { workId, historyHash: row.history_hash, clean, ...counts, differences };
}
