import type { Answer } from '../core/advance.js';
import { waitIdOf } from '../core/work.js';
import type { Resume } from '../graph/stepper.js';
import { positionOf, type ReceiptRow, type WorkRow } from '../ledger/rows.js';

/** The receipt's answer as the graph takes it, addressed to the wait that the ledger knows; the graph compares it with its own. */
export function resumeOf(row: WorkRow, receipt: Pick<ReceiptRow, 'body'>): Resume {
  const position = positionOf(row);
  const { answer, submission } = JSON.parse(receipt.body) as {
    answer: Answer;
    submission: { evidenceRef?: string; gateAction?: string };
  };
  return {
    waitId: waitIdOf(position),
    inputVersion: position.inputVersion,
    artifactSha256: position.artifact?.sha256 ?? null,
    answer: {
      ...answer,
      ...(answer.action === 'review' ? { evidenceRef: submission.evidenceRef } : {}),
      ...(answer.action === 'decide' ? { gateAction: submission.gateAction } : {}),
    },
  };
}
