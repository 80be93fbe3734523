import type { ReceiptView } from '../../operations/views.js';
import { sayOr, type Say } from './language.js';
import { textOf } from './judged-work.js';

interface Adopted {
  readonly artifactSha256: string | null;
  readonly inputVersion: number;
  readonly externalId: string | null;
}

/** Why the result that stands is the one that stands: sentences, each from a record. */
export function whyAdopted(t: Say, work: Adopted, receipts: readonly ReceiptView[]): string[] {
  const { artifactSha256 } = work;
  if (artifactSha256 === null) return [t('why.none')];
  const accepted = receipts.filter((receipt) => receipt.outcome === 'accepted');
  const result = accepted.findLast(
    (receipt) => receipt.action === 'result' && receipt.artifactSha256 === artifactSha256,
  );
  const investigation = accepted.findLast((receipt) => receipt.action === 'investigate');
  const sentences: string[] = [];
  const hash = artifactSha256.slice(0, 12);
  if (result) {
    sentences.push(
      t('why.result', { by: result.principal, hash, version: result.inputVersion ?? work.inputVersion }),
    );
    sentences.push(t('why.automatic'));
  } else if (investigation) sentences.push(t('why.adopted', { by: investigation.principal, hash }));
  for (const receipt of accepted) {
    if (receipt.artifactSha256 === artifactSha256) sentences.push(...judgement(t, receipt));
  }
  const count = (outcome: string): number =>
    receipts.filter((receipt) => receipt.action === 'result' && receipt.outcome === outcome).length;
  if (count('refused') > 0) sentences.push(t('why.refused', { n: count('refused') }));
  if (count('reference') > 0) sentences.push(t('why.reference', { n: count('reference') }));
  return sentences;
}

function judgement(t: Say, receipt: ReceiptView): string[] {
  const by = receipt.principal;
  if (receipt.action === 'review') {
    const verdict = textOf(receipt, 'verdict');
    return [
      t('why.review', {
        by,
        verdict: sayOr(t, `verdict.${verdict}`, verdict),
        evidence: textOf(receipt, 'evidenceRef'),
      }),
    ];
  }
  if (receipt.action === 'decide') {
    const decision = textOf(receipt, 'decision');
    return [
      t('why.decide', {
        by,
        decision: sayOr(t, `decision.${decision}`, decision),
        reason: textOf(receipt, 'reason'),
      }),
    ];
  }
  if (receipt.action === 'complete' && textOf(receipt, 'externalId') !== '')
    return [t('why.complete', { by, external: textOf(receipt, 'externalId') })];
  return [];
}
