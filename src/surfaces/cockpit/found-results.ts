import type { Choices } from './answer-form.js';
import type { JudgedWork } from './judged-work.js';
import { hasRole, type Visit } from './visit.js';

/**
 * What a silent holder left that an investigation may adopt, so that nobody has to copy a receipt's ID by hand: results
 * that came too late, and what was stored since the claim and never handed in. None where there is nothing to look into.
 */
export async function toAdopt(visit: Visit, work: JudgedWork['work']): Promise<Choices> {
  const { t, door, session, now_ms } = visit;
  const { lease } = work;
  const silent =
    work.status === 'IN_PROGRESS' &&
    lease !== null &&
    (lease.state === 'unknown' || (lease.expiresAt !== null && Date.parse(lease.expiresAt) <= now_ms));
  if (!silent || !hasRole(session, 'operator')) return {};
  const { lateResults, unsubmitted } = await door.investigation(work.workId);
  return {
    adopts: [
      ...lateResults.map(({ receiptId, principal, artifactSha256 }) => ({
        value: receiptId,
        text: t('found.late', { by: principal, hash: (artifactSha256 ?? '').slice(0, 12) }),
      })),
      ...unsubmitted.map(({ sha256, mediaType }) => ({
        value: sha256,
        text: t('found.stored', { hash: sha256.slice(0, 12), type: mediaType }),
      })),
    ],
  };
}
