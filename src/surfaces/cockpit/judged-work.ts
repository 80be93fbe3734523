import type { Door } from '../../operations/door.js';
import type { ReceiptView } from '../../operations/views.js';
import { loadArtifact, type LoadedArtifact } from './artifact-view.js';

/** A review of exactly the artifact that stands to be judged. */
export interface ReviewOnRecord {
  readonly by: string;
  readonly verdict: string;
  readonly evidenceRef: string;
  readonly at: string;
}

/** Everything a person needs to judge a work: the thing itself, what was before it, who made it, who looked at it. */
export interface JudgedWork {
  readonly work: Awaited<ReturnType<Door['show']>>;
  readonly receipts: readonly ReceiptView[];
  readonly artifact: LoadedArtifact | null;
  readonly previous: LoadedArtifact | null;
  readonly reviews: readonly ReviewOnRecord[];
}

export async function judgedWork(door: Door, workId: string): Promise<JudgedWork> {
  const work = await door.show(workId);
  const receipts = await door.receipts(workId);
  const artifact = await loadArtifact(door, work.artifactSha256);
  const before = receipts.findLast(
    (receipt) =>
      receipt.action === 'result' &&
      receipt.outcome === 'accepted' &&
      receipt.artifactSha256 !== null &&
      receipt.artifactSha256 !== work.artifactSha256,
  );
  return {
    work,
    receipts,
    artifact,
    previous: await loadArtifact(door, before?.artifactSha256 ?? null),
    reviews: receipts
      .filter((receipt) => isReviewOf(receipt, work.artifactSha256))
      .map((receipt) => ({
        by: receipt.principal,
        verdict: textOf(receipt, 'verdict'),
        evidenceRef: textOf(receipt, 'evidenceRef'),
        at: receipt.at,
      })),
  };
}

function isReviewOf(receipt: ReceiptView, artifactSha256: string | null): boolean {
  return (
    receipt.action === 'review' && receipt.outcome === 'accepted' && receipt.artifactSha256 === artifactSha256
  );
}

/** A text field of what was submitted; '' where it has none. */
export function textOf(receipt: ReceiptView, field: string): string {
  const value = receipt.submission?.[field];
  return typeof value === 'string' ? value : '';
}
