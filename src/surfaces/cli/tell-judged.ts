import type { Approvals } from '../../operations/approval.js';
import type { ReceiptView, WorkView } from '../../operations/views.js';
import { fields } from './table.js';

interface Judged {
  readonly receipt: ReceiptView;
  readonly work: WorkView;
  readonly replayed: boolean;
  readonly approvals?: Approvals | null;
}

/** How many of the approvals that a gate asks for are there, and whose; null where one is enough. */
export function approvalsLine(approvals: Approvals | null | undefined): string | null {
  if (!approvals || approvals.needed < 2) return null;
  const named = (given: Approvals['given']): string => given.map(({ by }) => by).join(', ');
  const { needed, given, fallen } = approvals;
  return [
    `${given.length} of ${needed}`,
    given.length > 0 ? `: ${named(given)}` : '',
    fallen.length > 0 ? `; no owner any more: ${named(fallen)}` : '',
  ].join('');
}

/** What came of an answer, for people: where the work stands now and which receipt proves it. */
export function tellJudged({ receipt, work, replayed, approvals }: Judged): string {
  return fields([
    ['work', work.workId],
    ['status', work.status],
    ['waits for', work.wait?.waitsFor],
    ['interrupt', work.wait?.interruptId],
    ['approvals', approvalsLine(approvals)],
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
