import type { Decision, Facts, LeaseFacts } from './facts.js';
import type { FieldIssue, RefusalCode } from './refusals.js';
import { fieldIssues, type Submission } from './submission.js';
import {
  ACTION_RULES,
  RESERVABLE_STATUSES,
  TRANSITIONS,
  existsIn,
  startsWork,
  type Action,
} from './transitions.js';
import { isSameParty, isTerminal, type Caller } from './work.js';

export type { AnsweredBy, Decision, Facts, LeaseFacts } from './facts.js';

const ACCEPT: Decision = { outcome: 'accept' };
const refuse = (
  code: RefusalCode,
  detail: string,
  more: { errors?: readonly FieldIssue[]; receiptId?: string } = {},
): Decision => ({
  outcome: 'refuse',
  code,
  detail,
  ...more,
});

/** One rule of the guard: a refusal, or null when it has nothing against the submission. */
export type Rule = (facts: Facts, submission: Submission) => Decision | null;

/**
 * The submission guard: decides one submission against the facts of one moment. Pure.
 * `rules` is for proofs that take one away; the desk never passes it. First failure wins, in the order of design.md §3 (idempotent replays are recognised before it is asked).
 */
export function decide(facts: Facts, submission: Submission, rules: readonly Rule[] = RULES): Decision {
  for (const rule of rules) {
    const refusal = rule(facts, submission);
    if (refusal) return refusal;
  }
  return ACCEPT;
}

/** Whether this caller's roles open this action at all. An owner's open everything. */
export function mayTry(caller: Pick<Caller, 'roles'>, action: Action): boolean {
  return (
    caller.roles.includes('owner') || ACTION_RULES[action].roles.some((role) => caller.roles.includes(role))
  );
}

const allowed: Rule = ({ caller }, { action }) =>
  mayTry(caller, action)
    ? null
    : refuse(
        'FORBIDDEN',
        `${action} needs one of the roles ${[...ACTION_RULES[action].roles, 'owner'].join(', ')}`,
      );

const currentWait: Rule = (facts, submission) => {
  const named = submission.interruptId;
  const { pending, interruptId, position } = facts;
  if (pending && (named === undefined || named === interruptId))
    return alreadyAnswered(facts, submission.action, pending);
  if (named === undefined || named === interruptId) return null;
  const earlier = facts.answeredBy;
  if (earlier?.action === 'claim' && submission.action === 'claim' && position.holder) return heldBy(facts);
  if (earlier && earlier.action === submission.action && (earlier.isLatest || isTerminal(position.status))) {
    return refuse(
      'ALREADY_DECIDED',
      `this wait was answered by ${earlier.by} (receipt ${earlier.receiptId})`,
      {
        receiptId: earlier.receiptId,
      },
    );
  }
  if (facts.changedSince.length > 0 && submission.inputVersion !== position.inputVersion)
    return inputChanged(facts);
  return refuse('STALE_INTERRUPT', `interruptId ${named} is not the current wait of ${position.workId}`);
};

function alreadyAnswered(facts: Facts, action: Action, pending: NonNullable<Facts['pending']>): Decision {
  if (action === 'claim' && pending.action === 'claim') return heldBy(facts);
  return refuse('ALREADY_DECIDED', `this wait was answered by ${pending.by} (receipt ${pending.receiptId})`, {
    receiptId: pending.receiptId,
  });
}

function heldBy({ lease, position }: Facts): Decision {
  const holder = lease?.holder ?? position.holder?.principal ?? 'somebody else';
  const since = lease ? ` since ${new Date(lease.claimedAt_ms).toISOString()}` : '';
  return refuse('ALREADY_CLAIMED', `${holder} holds ${position.workId}${since}`);
}

const currentInput: Rule = (facts, submission) => {
  const { inputVersion, inputSha256 } = facts.position;
  const versionOff = submission.inputVersion !== undefined && submission.inputVersion !== inputVersion;
  const hashOff = submission.inputSha256 !== undefined && submission.inputSha256 !== inputSha256;
  return versionOff || hashOff ? inputChanged(facts, submission.inputVersion) : null;
};

function inputChanged({ position, changedSince }: Facts, asked?: number): Decision {
  if (asked !== undefined && asked > position.inputVersion)
    return refuse(
      'INPUT_CHANGED',
      `there is no input version ${asked}; the current one is ${position.inputVersion}`,
    );
  const paths = changedSince.map((change) => change.path || '/').join(', ');
  return refuse(
    'INPUT_CHANGED',
    `the current input version is ${position.inputVersion}${paths ? `; changed: ${paths}` : ''}`,
  );
}

const matchingArtifact: Rule = (facts, submission) => {
  if (submission.action === 'result') {
    const { artifact } = submission;
    if (!artifact || facts.artifactStored) return null;
    return refuse('ARTIFACT_UNKNOWN', `no stored artifact has sha256 ${artifact.sha256}`);
  }
  if (!ACTION_RULES[submission.action].namesArtifact) return null;
  const { artifact } = facts.position;
  if ('artifactSha256' in submission && submission.artifactSha256 !== undefined) {
    if (submission.artifactSha256 !== (artifact?.sha256 ?? null)) {
      return refuse('ARTIFACT_MISMATCH', `the checkpoint holds artifact ${artifact?.sha256 ?? '(none)'}`);
    }
  }
  if (
    'headSha' in submission &&
    submission.headSha !== undefined &&
    submission.headSha !== artifact?.headSha
  ) {
    return refuse('ARTIFACT_MISMATCH', `the checkpoint holds head ${artifact?.headSha ?? '(none)'}`);
  }
  return null;
};

/** What an operator may do with any work, and a worker with its own. */
const OWN_ONLY: readonly Action[] = ['handoff', 'block', 'unblock'];

const holderAndLease: Rule = (facts, submission) => {
  const { lease, caller, position, now_ms } = facts;
  if (submission.action === 'claim') return claimable(facts);
  if (ACTION_RULES[submission.action].holderOnly) {
    if (!existsIn(position.status, submission.action)) return null; // ACTION_NOT_ALLOWED says it better
    if (!lease || lease.holder !== caller.principal) {
      return refuse(
        'NOT_HOLDER',
        lease ? `${lease.holder} holds ${position.workId}` : `nobody holds ${position.workId}`,
      );
    }
    return isExpired(lease, now_ms) ? refuse('LEASE_EXPIRED', `the lease ended at ${expiry(lease)}`) : null;
  }
  if (
    OWN_ONLY.includes(submission.action) &&
    !caller.roles.some((role) => role === 'operator' || role === 'owner')
  ) {
    if (lease?.holder !== caller.principal)
      return refuse('NOT_HOLDER', `a worker may ${submission.action} only what it holds itself`);
    // Whoever lost a work to silence has nothing to hand on: that is for the investigation (I6).
    return isExpired(lease, now_ms) ? refuse('LEASE_EXPIRED', `the lease ended at ${expiry(lease)}`) : null;
  }
  if (
    RESERVABLE_STATUSES.includes(position.status) &&
    lease &&
    !isExpired(lease, now_ms) &&
    lease.holder !== caller.principal
  ) {
    if (submission.action === 'review' || submission.action === 'decide') {
      return refuse('NOT_HOLDER', `${lease.holder} has reserved this judgement until ${expiry(lease)}`);
    }
  }
  return null;
};

export function isExpired(lease: LeaseFacts, now_ms: number): boolean {
  return lease.state === 'unknown' || (lease.expiresAt_ms !== null && lease.expiresAt_ms <= now_ms);
}

function expiry(lease: LeaseFacts): string {
  return lease.expiresAt_ms === null ? '(parked)' : new Date(lease.expiresAt_ms).toISOString();
}

function claimable(facts: Facts): Decision | null {
  const { position, lease, openBlockers, now_ms } = facts;
  if (position.status === 'IN_PROGRESS') return heldBy(facts);
  if (RESERVABLE_STATUSES.includes(position.status) && lease && !isExpired(lease, now_ms))
    return heldBy(facts);
  if (startsWork(position.status) && openBlockers.length > 0) {
    return refuse('BLOCKED_BY', `${position.workId} waits for ${openBlockers.join(', ')}`);
  }
  return null;
}

const actionExists: Rule = ({ position, caller }, submission) => {
  const { status } = position;
  if (!existsIn(status, submission.action) || !ACTION_RULES[submission.action].external) {
    return refuse(
      'ACTION_NOT_ALLOWED',
      `${status} waits for ${TRANSITIONS[status].waitsFor}; ${submission.action} does not exist there`,
    );
  }
  // A claim reserves work for workers and judgements for judges; the role decides which of the two it may be.
  if (submission.action === 'claim' && !caller.roles.includes('owner')) {
    const needed = startsWork(status) ? 'worker' : status === 'VP_REVIEW' ? 'reviewer' : 'owner';
    if (!caller.roles.includes(needed))
      return refuse('FORBIDDEN', `a claim in ${status} needs the role ${needed}`);
  }
  return null;
};

/** An effect of unknown outcome stands before everything that would build on the work or run it again (I11). */
const effectsKnown: Rule = ({ openEffects, lease, now_ms }, submission) => {
  if (submission.action === 'investigate' && lease && !isExpired(lease, now_ms)) {
    return refuse(
      'ACTION_NOT_ALLOWED',
      `the reservation runs until ${expiry(lease)}; silence is not failure`,
    );
  }
  if (openEffects.length === 0) return null;
  const builds =
    submission.action === 'result' ||
    (submission.action === 'complete' && submission.outcome !== 'unknown') ||
    (submission.action === 'investigate' && submission.finding !== 'outcome_unknown');
  if (!builds) return null;
  return refuse(
    'ACTION_NOT_ALLOWED',
    `the outcome of ${openEffects.join(', ')} is not known: report it, or say that it is unknown`,
  );
};

const separationOfDuties: Rule = ({ position, caller }, submission) => {
  const judges =
    ACTION_RULES[submission.action].separate ||
    (submission.action === 'claim' && RESERVABLE_STATUSES.includes(position.status));
  const { author } = position;
  // On behalf of somebody else, both must be strangers to the artifact.
  const judging = caller.via ? [caller, caller.via] : [caller];
  if (judges && author && judging.some((party) => isSameParty(party, author))) {
    return refuse('SELF_APPROVAL', `${author.actor} made this artifact`);
  }
  if (submission.action === 'decide' && !caller.roles.includes('owner')) {
    return refuse('OWNER_ONLY', `${position.gate?.action ?? 'this'} is decided by an owner`);
  }
  return null;
};

const ownFields: Rule = ({ position }, submission) => {
  const errors = fieldIssues(submission);
  if (errors.length > 0) {
    return refuse('INVALID', errors.map((issue) => `${issue.path} ${issue.message}`).join('; '), { errors });
  }
  if (submission.action === 'decide' && submission.gateAction !== position.gate?.action) {
    return refuse('ARTIFACT_MISMATCH', `the gate asks about ${position.gate?.action ?? '(nothing)'}`);
  }
  return null;
};

/** The order is the contract: design.md §3, steps 1 and 3 to 9. Exported so that a test can take one away and see what breaks. */
export const RULES: readonly Rule[] = [
  allowed,
  currentWait,
  currentInput,
  matchingArtifact,
  holderAndLease,
  actionExists,
  effectsKnown,
  separationOfDuties,
  ownFields,
];
