import type { Answer } from './advance.js';
import { ESCALATED_GATE } from './advance.js';
import type { Submission } from './submission.js';
import type { ArtifactRef, Finding, Party } from './work.js';

/** What an answer needs that its sender could not know: looked up by the gate in the same transaction. */
export interface Resolved {
  readonly by: Party;
  readonly to?: Party | null;
  readonly letGo?: { readonly effectsOpen?: boolean; readonly lossesExceeded?: boolean };
  readonly adopted?: { readonly artifact: ArtifactRef; readonly author: Party };
  readonly correction?: {
    readonly inputVersion: number;
    readonly inputSha256: string;
    readonly findings: readonly Finding[];
  };
}

/**
 * The moving part of a submission that the guard has accepted. Pure.
 * @throws Error when a field is missing that the guard asks for; that would be a bug of ours
 */
export function answerFrom(submission: Submission, { by, to, adopted, correction, letGo }: Resolved): Answer {
  switch (submission.action) {
    case 'promote':
    case 'claim':
    case 'doubt':
    case 'hold':
    case 'resume':
    case 'block':
    case 'unblock':
    case 'cancel':
    case 'asset':
      return { action: submission.action, by };
    case 'result':
      return { action: 'result', by, artifact: need(submission.artifact) };
    case 'release':
      return { action: 'release', by, ...letGo };
    case 'handoff':
      return { action: 'handoff', by, to: to ?? null, ...letGo };
    case 'investigate':
      return {
        action: 'investigate',
        by,
        finding: need(submission.finding),
        ...(letGo?.lossesExceeded ? { lossesExceeded: true } : {}),
        ...(adopted ? { adopted } : {}),
      };
    case 'review':
      return {
        action: 'review',
        by,
        verdict: need(submission.verdict),
        findings: submission.findings ?? [],
        reason: submission.findings?.[0]?.message ?? ESCALATED_GATE,
      };
    case 'decide':
      return {
        action: 'decide',
        by,
        decision: need(submission.decision),
        findings: [{ validator: 'owner', path: '', message: submission.reason ?? '' }],
      };
    case 'complete':
      return { action: 'complete', by, outcome: need(submission.outcome) };
    case 'observe':
      return { action: 'observe', by, outcome: need(submission.outcome) };
    case 'escalate':
      return {
        action: 'escalate',
        by,
        gateAction: need(submission.gateAction),
        reason: need(submission.reason),
      };
    case 'reconcile': {
      const finding = need(submission.finding);
      if (finding === 'still_unknown') throw new Error('still_unknown does not move a work');
      return { action: 'reconcile', by, finding };
    }
    case 'correct':
      return { action: 'correct', by, ...need(correction) };
  }
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the guard let an incomplete submission through');
  return value;
}
