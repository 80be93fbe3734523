import type { ReceiptView, WorkView } from '../../operations/views.js';
import { fields } from './table.js';

interface Judged {
  readonly receipt: ReceiptView;
  readonly work: WorkView;
  readonly replayed: boolean;
}

/** What came of an answer, for people: where the work stands now and which receipt proves it. */
export function tellJudged({ receipt, work, replayed }: Judged): string {
  return fields([
    ['work', work.workId],
    ['status', work.status],
    ['waits for', work.wait?.waitsFor],
    ['interrupt', work.wait?.interruptId],
    ['round', work.round],
    ['artifact', work.artifactSha256],
    ['findings', work.findings.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')],
    [
      'receipt',
      `${receipt.receiptId} (${receipt.action} ${receipt.outcome}${replayed ? ', sent before' : ''})`,
    ],
    ['not applied yet', receipt.applied ? null : 'accepted for good; its thread follows'],
  ]);
}
