import type { FieldIssue } from './refusals.js';
import type { Action } from './transitions.js';
import type { ArtifactRef, Finding } from './work.js';

/** What every submission may carry; which of it is required depends on the action. */
interface Common {
  readonly interruptId?: string | undefined;
  readonly inputVersion?: number | undefined;
  readonly inputSha256?: string | undefined;
}

/** A submission to a wait, as the guard sees it after its types were checked at the door. */
export type Submission = Common &
  (
    | {
        readonly action: 'promote' | 'hold' | 'resume' | 'block' | 'unblock' | 'cancel';
        readonly reason?: string | undefined;
      }
    | { readonly action: 'claim' }
    | {
        readonly action: 'result';
        readonly artifact?: ArtifactRef | undefined;
        readonly adopts?: string | undefined;
        readonly items?: readonly string[] | undefined;
        readonly notes?: string | undefined;
      }
    | {
        readonly action: 'release' | 'handoff';
        readonly reason?: string | undefined;
        readonly to?: string | undefined;
        readonly cause?: string | undefined;
        readonly itemsDone?: readonly string[] | undefined;
        readonly itemsLeft?: readonly string[] | undefined;
        readonly partials?: readonly string[] | undefined;
        readonly note?: string | undefined;
      }
    | {
        readonly action: 'investigate';
        readonly finding?: 'result_found' | 'nothing_found' | 'outcome_unknown' | undefined;
        readonly evidenceRef?: string | undefined;
        readonly adopts?: string | undefined;
      }
    | {
        readonly action: 'review';
        readonly artifactSha256?: string | undefined;
        readonly headSha?: string | undefined;
        readonly verdict?: 'PASS' | 'REWORK' | 'ESCALATE' | undefined;
        readonly evidenceRef?: string | undefined;
        readonly findings?: readonly Finding[] | undefined;
      }
    | {
        readonly action: 'decide';
        readonly artifactSha256?: string | null | undefined;
        readonly gateAction?: string | undefined;
        readonly decision?: 'approve' | 'reject' | 'rework' | 'hold' | undefined;
        readonly reason?: string | undefined;
      }
    | {
        readonly action: 'complete';
        readonly artifactSha256?: string | undefined;
        readonly outcome?: 'merged' | 'conflict' | 'unknown' | undefined;
        readonly externalId?: string | undefined;
        readonly evidenceRef?: string | undefined;
      }
    | {
        readonly action: 'observe';
        readonly outcome?: 'ok' | 'regressed' | undefined;
        readonly evidenceRef?: string | undefined;
      }
    | { readonly action: 'asset'; readonly assetRef?: string | undefined }
    | {
        readonly action: 'escalate';
        readonly gateAction?: string | undefined;
        readonly reason?: string | undefined;
      }
    | { readonly action: 'doubt'; readonly evidenceRef?: string | undefined }
    | {
        readonly action: 'reconcile';
        readonly finding?: 'happened' | 'did_not_happen' | 'still_unknown' | undefined;
        readonly externalId?: string | undefined;
        readonly evidenceRef?: string | undefined;
      }
    | { readonly action: 'correct'; readonly reason?: string | undefined }
  );

export type SubmissionOf<A extends Action> = Extract<Submission, { action: A }>;

/** Fields each action cannot do without. Source: design.md §3 step 9, I8. */
const REQUIRED: Record<Submission['action'], readonly string[]> = {
  promote: ['reason'],
  claim: [],
  result: ['interruptId', 'inputVersion', 'artifact'],
  release: ['interruptId', 'reason'],
  handoff: ['interruptId', 'reason'],
  investigate: ['finding', 'evidenceRef'],
  review: ['interruptId', 'verdict', 'artifactSha256', 'evidenceRef'],
  decide: ['interruptId', 'artifactSha256', 'gateAction', 'decision', 'reason'],
  complete: ['interruptId', 'artifactSha256', 'outcome', 'evidenceRef'],
  observe: ['interruptId', 'outcome', 'evidenceRef'],
  asset: ['interruptId', 'assetRef'],
  hold: ['interruptId', 'reason'],
  resume: ['interruptId', 'reason'],
  block: ['interruptId', 'reason'],
  unblock: ['interruptId', 'reason'],
  cancel: ['interruptId', 'reason'],
  escalate: ['interruptId', 'gateAction', 'reason'],
  doubt: ['interruptId', 'evidenceRef'],
  reconcile: ['interruptId', 'finding', 'evidenceRef'],
  correct: ['reason'],
};

/** Names as the door spells them, where the guard's own name differs. */
const DOOR_NAME: Record<string, string> = { gateAction: 'action' };

const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');

/** What the action's own fields lack, each with its path. Empty when the submission is complete. */
export function fieldIssues(submission: Submission): FieldIssue[] {
  const fields = submission as unknown as Record<string, unknown>;
  const issues = REQUIRED[submission.action]
    .filter((name) => isBlank(fields[name]))
    .map((name) => ({ path: `/${DOOR_NAME[name] ?? name}`, message: 'is required' }));
  if (submission.action === 'complete' && submission.outcome === 'merged' && !submission.externalId) {
    issues.push({ path: '/externalId', message: 'is required: where the result can be found outside' });
  }
  if (submission.action === 'review' && submission.verdict === 'REWORK' && !submission.findings?.length) {
    issues.push({ path: '/findings', message: 'is required for REWORK: what is to be done again' });
  }
  return issues;
}
