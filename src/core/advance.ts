import type { Kind } from './kind.js';
import { mayLead, type Action } from './transitions.js';
import type { ArtifactRef, Finding, Party, Position, Status } from './work.js';

/** What the state machine must know of a kind. */
export type FlowPolicy = Pick<Kind, 'skips' | 'roundLimit' | 'completion' | 'ownerOnly'>;

/** What stands in the way of simply handing a work back to the queue. */
interface LetGo {
  /** An effect was intended and nobody knows its outcome: the work may not be run again before that is known (I11). */
  readonly effectsOpen?: boolean | undefined;
  /** The work has been let go of more often than its kind allows. */
  readonly lossesExceeded?: boolean | undefined;
}

/** The part of an accepted answer that moves the work. The rest (evidence, notes) stays in its receipt. */
export type Answer =
  | { readonly action: 'promote' | 'resume' | 'unblock' | 'cancel' | 'asset'; readonly by: Party }
  | { readonly action: 'hold' | 'block'; readonly by: Party }
  | { readonly action: 'claim'; readonly by: Party }
  | { readonly action: 'result'; readonly by: Party; readonly artifact: ArtifactRef }
  | ({ readonly action: 'release'; readonly by: Party } & LetGo)
  | ({ readonly action: 'handoff'; readonly by: Party; readonly to: Party | null } & LetGo)
  | {
      readonly action: 'investigate';
      readonly by: Party;
      readonly lossesExceeded?: boolean | undefined;
      readonly finding: 'result_found' | 'nothing_found' | 'outcome_unknown';
      readonly adopted?: { readonly artifact: ArtifactRef; readonly author: Party };
    }
  | {
      readonly action: 'validated';
      readonly outcome: 'passed' | 'findings' | 'failed';
      readonly findings: readonly Finding[];
    }
  | {
      readonly action: 'review';
      readonly by: Party;
      readonly verdict: 'PASS' | 'REWORK' | 'ESCALATE';
      readonly findings: readonly Finding[];
      readonly reason: string;
    }
  | {
      readonly action: 'decide';
      readonly by: Party;
      readonly decision: 'approve' | 'reject' | 'rework' | 'hold';
      readonly findings: readonly Finding[];
    }
  | { readonly action: 'doubt'; readonly by: Party }
  | { readonly action: 'complete'; readonly by: Party; readonly outcome: 'merged' | 'conflict' | 'unknown' }
  | { readonly action: 'observe'; readonly by: Party; readonly outcome: 'ok' | 'regressed' }
  | { readonly action: 'escalate'; readonly by: Party; readonly gateAction: string; readonly reason: string }
  | { readonly action: 'reconcile'; readonly by: Party; readonly finding: 'happened' | 'did_not_happen' }
  | {
      readonly action: 'correct';
      readonly by: Party;
      readonly inputVersion: number;
      readonly inputSha256: string;
      readonly findings: readonly Finding[];
    };

/** Why a work came to the gate when its rounds ran out; not an outside action, so approving allows one more round. */
export const ROUND_LIMIT_GATE = 'exceed_round_limit';
/** Why a work came to the gate when too many holders had let go of it: a crash loop is a decision, not a retry. */
export const LEASE_LOSS_GATE = 'exceed_lease_losses';
/** Why a work came to the gate when a reviewer would not decide alone. */
export const ESCALATED_GATE = 'decide_escalated_review';

/**
 * The next position, and nothing else: no clock, no I/O. Source: the table in `transitions.ts`, which is
 * asserted on the way out, so an edge that the table does not draw cannot be taken.
 * @throws Error when the action does not exist in the position's status (callers ask the guard first)
 */
export function advance(position: Position, answer: Answer, policy: FlowPolicy): Position {
  const next = { ...step(position, answer, policy), step: position.step + 1 };
  if (!mayLead(position.status, answer.action, next.status)) {
    throw new Error(`transition table has no ${position.status} --${answer.action}--> ${next.status}`);
  }
  return next;
}

function step(at: Position, answer: Answer, policy: FlowPolicy): Position {
  switch (answer.action) {
    case 'promote':
      return { ...at, status: 'READY' };
    case 'claim':
      return { ...at, status: 'IN_PROGRESS', holder: answer.by };
    case 'result':
      return {
        ...at,
        status: 'VALIDATION',
        artifact: answer.artifact,
        author: answer.by,
        holder: null,
        approval: null,
      };
    case 'release':
      return letGo(at, answer);
    case 'handoff':
      if (answer.effectsOpen || answer.to === null) return letGo(at, answer);
      return { ...at, status: 'IN_PROGRESS', holder: answer.to };
    case 'investigate':
      return investigated(at, answer);
    case 'validated':
      if (answer.outcome === 'failed') {
        return { ...at, status: 'BLOCKED', returnTo: 'VALIDATION', findings: answer.findings };
      }
      if (answer.outcome === 'findings') return toRework(at, answer.findings, policy);
      return policy.skips.includes('VP_REVIEW')
        ? toMerge({ ...at, findings: [] }, policy)
        : { ...at, status: 'VP_REVIEW', findings: [] };
    case 'review':
      if (answer.verdict === 'PASS') return toMerge({ ...at, findings: answer.findings }, policy);
      if (answer.verdict === 'REWORK') return toRework(at, answer.findings, policy);
      return toGate({ ...at, findings: answer.findings }, ESCALATED_GATE, 'VP_REVIEW', answer.reason);
    case 'decide':
      return decided(at, answer, policy);
    case 'doubt':
      return { ...at, status: 'OUTCOME_UNKNOWN', returnTo: at.status, holder: null, approval: null };
    case 'complete':
      if (answer.outcome === 'merged') return afterMerge(at, policy);
      if (answer.outcome === 'conflict') {
        return toRework(
          at,
          [{ validator: 'merge', path: '', message: 'conflict reported at completion' }],
          policy,
        );
      }
      return { ...at, status: 'OUTCOME_UNKNOWN', returnTo: 'MERGE_READY', approval: null };
    case 'observe':
      return answer.outcome === 'ok'
        ? afterObservation(at, policy)
        : toRework(at, [{ validator: 'observation', path: '', message: 'regression observed' }], policy);
    case 'asset':
      return { ...at, status: 'DONE' };
    case 'hold':
      return { ...at, status: 'HOLD', returnTo: at.status };
    case 'block':
      return { ...at, status: 'BLOCKED', returnTo: at.status };
    case 'resume':
    case 'unblock':
      return { ...at, status: at.returnTo ?? 'READY', returnTo: null };
    case 'cancel':
      return { ...at, status: 'CANCELLED', holder: null };
    case 'escalate':
      return toGate(at, answer.gateAction, at.status, answer.reason);
    case 'reconcile':
      return reconciled(at, answer.finding, policy);
    case 'correct':
      return corrected(at, answer);
  }
}

function letGo(at: Position, { effectsOpen, lossesExceeded }: LetGo): Position {
  if (effectsOpen) return { ...at, status: 'OUTCOME_UNKNOWN', returnTo: 'IN_PROGRESS', holder: null };
  if (!lossesExceeded) return backToQueue(at);
  return toGate(
    at,
    LEASE_LOSS_GATE,
    backToQueue(at).status,
    'given back or lost more often than its kind allows',
  );
}

function backToQueue(at: Position): Position {
  return { ...at, status: at.round > 1 ? 'REWORK' : 'READY', holder: null };
}

function investigated(at: Position, answer: Extract<Answer, { action: 'investigate' }>): Position {
  if (answer.finding === 'nothing_found') return letGo(at, answer);
  if (answer.finding === 'outcome_unknown') {
    return { ...at, status: 'OUTCOME_UNKNOWN', returnTo: 'IN_PROGRESS', holder: null };
  }
  if (!answer.adopted) throw new Error('result_found names the result that was found');
  const { artifact, author } = answer.adopted;
  return { ...at, status: 'VALIDATION', artifact, author, holder: null, approval: null };
}

/** Another round, or the gate when the kind's rounds are used up. */
function toRework(at: Position, findings: readonly Finding[], policy: FlowPolicy): Position {
  const next = { ...at, findings, holder: null, approval: null, gate: null, round: at.round + 1 };
  if (next.round > policy.roundLimit) {
    return toGate(
      next,
      ROUND_LIMIT_GATE,
      'REWORK',
      `round ${next.round} would exceed the limit of ${policy.roundLimit}`,
    );
  }
  return { ...next, status: 'REWORK' };
}

/** Entering the gate voids every earlier approval (I7). */
function toGate(at: Position, action: string, from: Status, reason: string): Position {
  return { ...at, status: 'OWNER_GATE', gate: { action, from, reason }, approval: null, holder: null };
}

/** Ready to be merged, or first to the owner where the completing action is theirs and not yet approved for these bytes. */
function toMerge(at: Position, policy: FlowPolicy): Position {
  const approved =
    at.approval?.action === policy.completion && at.approval.artifactSha256 === (at.artifact?.sha256 ?? null);
  if (policy.ownerOnly.includes(policy.completion) && !approved) {
    return toGate(at, policy.completion, 'MERGE_READY', `${policy.completion} is an owner's decision`);
  }
  return { ...at, status: 'MERGE_READY', holder: null };
}

function decided(at: Position, answer: Extract<Answer, { action: 'decide' }>, policy: FlowPolicy): Position {
  const gate = at.gate;
  if (!gate) throw new Error('a work at OWNER_GATE names its gate');
  switch (answer.decision) {
    case 'approve':
      return {
        ...at,
        status: gate.from,
        gate: null,
        approval: { action: gate.action, artifactSha256: at.artifact?.sha256 ?? null, by: answer.by },
      };
    case 'reject':
      return { ...at, status: 'CANCELLED', gate: null };
    case 'hold':
      // The gate stays: whoever ends the pause comes back to the same question, not past it.
      return { ...at, status: 'HOLD', returnTo: 'OWNER_GATE' };
    case 'rework': {
      // An owner who asks for another round has thereby allowed it, even past the limit.
      const next = toRework({ ...at, gate: null }, answer.findings, { ...policy, roundLimit: Infinity });
      return gate.action === ROUND_LIMIT_GATE ? { ...next, round: at.round } : next;
    }
  }
}

function afterMerge(at: Position, policy: FlowPolicy): Position {
  const used = { ...at, approval: null, returnTo: null };
  return policy.skips.includes('OBSERVING')
    ? afterObservation(used, policy)
    : { ...used, status: 'OBSERVING' };
}

function afterObservation(at: Position, policy: FlowPolicy): Position {
  return { ...at, status: policy.skips.includes('ASSET_GATE') ? 'DONE' : 'ASSET_GATE' };
}

function reconciled(at: Position, finding: 'happened' | 'did_not_happen', policy: FlowPolicy): Position {
  if (at.returnTo === 'MERGE_READY') {
    if (finding === 'happened') return afterMerge(at, policy);
    return toRework(
      { ...at, returnTo: null },
      [{ validator: 'reconcile', path: '', message: 'the completing action did not happen' }],
      policy,
    );
  }
  // Unknown while somebody worked: known now, so the next holder continues with the effect on record.
  return { ...backToQueue(at), returnTo: null };
}

/** A new input version: what was made, reviewed or approved for the old one does not count for the new one. */
function corrected(at: Position, answer: Extract<Answer, { action: 'correct' }>): Position {
  const next: Position = {
    ...at,
    inputVersion: answer.inputVersion,
    inputSha256: answer.inputSha256,
    approval: null,
    artifact: null,
    author: null,
  };
  const redo = { ...next, findings: answer.findings, gate: null };
  switch (at.status) {
    case 'VP_REVIEW':
    case 'MERGE_READY':
    case 'OBSERVING':
    case 'ASSET_GATE':
      return { ...redo, status: 'REWORK', holder: null };
    case 'OWNER_GATE':
      return { ...redo, status: at.gate?.from === 'READY' ? 'READY' : 'REWORK', holder: null };
    case 'HOLD':
    case 'BLOCKED':
      return { ...redo, returnTo: returnAfterCorrection(at) };
    case 'DISCOVERED':
    case 'READY':
    case 'IN_PROGRESS':
    case 'REWORK':
    case 'VALIDATION':
    case 'OUTCOME_UNKNOWN':
    case 'DONE':
    case 'CANCELLED':
      return next;
  }
}

function returnAfterCorrection(at: Position): Status {
  const from = at.returnTo ?? 'READY';
  if (from === 'OWNER_GATE') return at.gate?.from === 'READY' ? 'READY' : 'REWORK';
  return ['DISCOVERED', 'READY', 'IN_PROGRESS', 'REWORK'].includes(from) ? from : 'REWORK';
}

export type AnswerOf<A extends Action> = Extract<Answer, { action: A }>;
