import { advance, type Answer, type FlowPolicy } from '../src/core/advance.js';
import { answerFrom } from '../src/core/answer.js';
import { RULES, decide, type Facts, type LeaseFacts, type Rule } from '../src/core/guard.js';
import type { Submission } from '../src/core/submission.js';
import { RESERVABLE_STATUSES } from '../src/core/transitions.js';
import { isTerminal, type Caller, type Position } from '../src/core/work.js';

/**
 * The desk's durable state of one work, made small: the real guard and the real state machine around a model of the
 * two transactions (accept, apply). What an actor knows is what it last looked at, so it may answer long-gone waits.
 */
export interface World {
  readonly position: Position;
  readonly pending: { readonly answer: Answer; readonly by: string } | null;
  readonly lease: {
    readonly holder: string;
    readonly actor: string;
    readonly expired: boolean;
    readonly judgement: boolean;
  } | null;
  /** What each actor saw when it last looked, by name; absent after it forgot. */
  readonly views: Readonly<Record<string, View>>;
  /** How each wait was answered; the guard must never let a second answer in. */
  readonly answered: Readonly<Record<string, { readonly action: Answer['action']; readonly by: string }>>;
  readonly lastAnswered: string | null;
  readonly artifacts: number;
}

export interface View {
  readonly interruptId: string;
  readonly inputVersion: number;
  readonly artifactSha256: string | null;
  readonly gateAction: string | null;
}

const actor = (name: string, ...roles: Caller['roles']): Caller => ({
  tenant: 't',
  principal: name,
  actor: name,
  roles,
});

/** An owner and one to three people who work and review, by how many they are. */
export const CASTS: Readonly<Record<number, readonly Caller[]>> = {
  2: [actor('ann', 'worker', 'reviewer'), actor('olga', 'operator', 'owner')],
  3: [
    actor('ann', 'worker', 'reviewer'),
    actor('bob', 'worker', 'reviewer'),
    actor('olga', 'operator', 'owner'),
  ],
  4: [
    actor('ann', 'worker', 'reviewer'),
    actor('bob', 'worker', 'reviewer'),
    actor('cyd', 'worker', 'reviewer'),
    actor('olga', 'operator', 'owner'),
  ],
};
/** Two workers and an owner. */
export const USUAL_CAST = 3;

export const POLICY: FlowPolicy = {
  skips: ['OBSERVING', 'ASSET_GATE'],
  roundLimit: 2,
  completion: 'pay',
  ownerOnly: ['pay'],
};
const VERSIONS_LIMIT = 2;
const ARTIFACTS_LIMIT = 3;

export const waitOf = (position: Position): string => `i${position.step}`;

export const START: World = {
  position: {
    tenant: 't',
    workId: 'w',
    kind: 'k',
    status: 'DISCOVERED',
    round: 1,
    step: 0,
    inputVersion: 1,
    inputSha256: 'v1',
    artifact: null,
    author: null,
    holder: null,
    findings: [],
    gate: null,
    approval: null,
    returnTo: null,
  },
  pending: null,
  lease: null,
  views: {},
  answered: {},
  lastAnswered: null,
  artifacts: 0,
};

export interface Step {
  readonly label: string;
  readonly next: World;
  /** Set when a submission was decided, so that invariants can be checked on the decision itself. */
  readonly decided?: { readonly caller: Caller; readonly submission: Submission; readonly accepted: boolean };
}

/** Every step that anybody could take now. */
export function* steps(
  world: World,
  cast: readonly Caller[],
  rules: readonly Rule[] = RULES,
): Generator<Step> {
  if (world.pending) yield* applied(world);
  for (const caller of cast) {
    yield {
      label: `${caller.principal} looks`,
      next: { ...world, views: { ...world.views, [caller.principal]: viewOf(world) } },
    };
    for (const submission of submissions(world, caller)) yield submitted(world, caller, submission, rules);
  }
  if (world.lease && !world.lease.expired)
    yield { label: 'the lease runs out', next: { ...world, lease: { ...world.lease, expired: true } } };
}

function viewOf({ position }: World): View {
  return {
    interruptId: waitOf(position),
    inputVersion: position.inputVersion,
    artifactSha256: position.artifact?.sha256 ?? null,
    gateAction: position.gate?.action ?? null,
  };
}

/** What an actor could send, from what it last saw. */
function* submissions(world: World, caller: Caller): Generator<Submission> {
  const view = world.views[caller.principal];
  if (!view) return;
  const { interruptId, inputVersion } = view;
  const artifactSha256 = view.artifactSha256 ?? undefined;
  const common = { interruptId, reason: 'r' };
  if (caller.roles.includes('operator')) {
    yield { action: 'promote', ...common };
    yield { action: 'hold', ...common };
    yield { action: 'resume', ...common };
    if (world.lease?.expired) {
      yield { action: 'investigate', interruptId, finding: 'nothing_found', evidenceRef: 'e' };
      yield { action: 'investigate', interruptId, finding: 'outcome_unknown', evidenceRef: 'e' };
    }
    yield { action: 'reconcile', interruptId, finding: 'did_not_happen', evidenceRef: 'e' };
    yield { action: 'reconcile', interruptId, finding: 'happened', evidenceRef: 'e' };
    for (const decision of ['approve', 'rework', 'reject'] as const) {
      yield {
        action: 'decide',
        interruptId,
        artifactSha256: view.artifactSha256,
        gateAction: view.gateAction ?? 'pay',
        decision,
        reason: 'r',
      };
    }
    for (const outcome of ['merged', 'unknown'] as const) {
      yield { action: 'complete', interruptId, artifactSha256, outcome, externalId: 'x', evidenceRef: 'e' };
    }
    if (world.position.inputVersion < VERSIONS_LIMIT) yield { action: 'correct', reason: 'r' };
    return;
  }
  yield { action: 'claim', interruptId };
  if (world.artifacts < ARTIFACTS_LIMIT)
    yield { action: 'result', interruptId, inputVersion, artifact: { sha256: `a${world.artifacts}` } };
  yield { action: 'release', interruptId, reason: 'r' };
  // Mixed up or incomplete, as a confused client sends it: the right wait with an old version, another artifact, no evidence.
  if (inputVersion > 1) yield { action: 'result', interruptId, inputVersion: 1, artifact: { sha256: 'a0' } };
  const findings = [{ validator: 'v', path: '', message: 'm' }];
  yield { action: 'review', interruptId, artifactSha256: 'another', verdict: 'PASS', evidenceRef: 'e' };
  yield { action: 'review', interruptId, artifactSha256, verdict: 'PASS' };
  for (const verdict of ['PASS', 'REWORK', 'ESCALATE'] as const) {
    yield { action: 'review', interruptId, artifactSha256, verdict, evidenceRef: 'e', findings };
  }
}

function factsFor(world: World, caller: Caller, submission: Submission): Facts {
  const { position, pending, lease, answered, lastAnswered } = world;
  const named = submission.interruptId;
  const current = isTerminal(position.status) ? null : waitOf(position);
  const earlier = named === undefined || named === current ? undefined : answered[named];
  const old = submission.inputVersion !== undefined && submission.inputVersion < position.inputVersion;
  return {
    now_ms: 1,
    caller,
    position,
    interruptId: current,
    pending: pending ? { receiptId: 'r', action: pending.answer.action, by: pending.by } : null,
    answeredBy: earlier
      ? { receiptId: 'r', action: earlier.action, by: earlier.by, isLatest: lastAnswered === named }
      : null,
    changedSince: old ? [{ path: '/x' }] : [],
    lease: lease ? leaseFacts(world, lease) : null,
    openBlockers: [],
    openEffects: [],
    artifactStored: true,
  };
}

function leaseFacts(world: World, lease: NonNullable<World['lease']>): LeaseFacts {
  return {
    holder: lease.holder,
    actor: lease.actor,
    interruptId: waitOf(world.position),
    state: lease.expired ? 'unknown' : 'reserved',
    claimedAt_ms: 0,
    expiresAt_ms: lease.expired ? 0 : 10,
  };
}

function submitted(world: World, caller: Caller, submission: Submission, rules: readonly Rule[]): Step {
  const decision = decide(factsFor(world, caller, submission), submission, rules);
  const accepted = decision.outcome === 'accept';
  const label = `${caller.principal} sends ${submission.action} to ${submission.interruptId ?? 'whatever is current'}: ${accepted ? 'accepted' : decision.code}`;
  const decided = { caller, submission, accepted };
  return { label, decided, next: accepted ? acceptedWorld(world, caller, submission) : world };
}

/** The accepting transaction. */
function acceptedWorld(world: World, caller: Caller, submission: Submission): World {
  const { position } = world;
  const by = { principal: caller.principal, actor: caller.actor };
  const lease = { holder: caller.principal, actor: caller.actor, expired: false, judgement: false };
  if (submission.action === 'claim' && RESERVABLE_STATUSES.includes(position.status)) {
    return { ...world, lease: { ...lease, judgement: true } };
  }
  if (submission.action === 'release' && RESERVABLE_STATUSES.includes(position.status)) {
    return { ...world, lease: null };
  }
  const version = position.inputVersion + 1;
  const correction = { inputVersion: version, inputSha256: `v${version}`, findings: [] };
  const answer = answerFrom(submission, { by, correction });
  const wait = waitOf(position);
  return {
    ...world,
    pending: { answer, by: caller.principal },
    answered: { ...world.answered, [wait]: { action: answer.action, by: caller.principal } },
    lastAnswered: wait,
    artifacts: world.artifacts + Number(submission.action === 'result'),
    lease: submission.action === 'claim' ? lease : world.lease,
  };
}

/** The applying transaction; a crash before it leaves the world as it is, so it needs no step of its own. */
function* applied(world: World): Generator<Step> {
  const { pending } = world;
  if (!pending) return;
  const moved = advance(world.position, pending.answer, POLICY);
  const outcomes = moved.status === 'VALIDATION' ? validated(moved) : [moved];
  for (const position of outcomes) {
    const keeps = position.holder !== null;
    yield {
      label: `${pending.answer.action} is applied: ${position.status}`,
      next: { ...world, position, pending: null, lease: keeps ? world.lease : null },
    };
  }
}

function validated(position: Position): Position[] {
  return (['passed', 'findings', 'failed'] as const).map((outcome) =>
    advance(position, { action: 'validated', outcome, findings: [] }, POLICY),
  );
}
