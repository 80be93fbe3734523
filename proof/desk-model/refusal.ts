import { actorOf, hasEnded, isOne, isOver, type Call, type DeskModel, type ModelWork } from './state.js';

/** Roles that may try each action; the owner may try all. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  promote: ['operator'],
  claim: ['worker', 'reviewer', 'operator'],
  result: ['worker'],
  release: ['worker', 'reviewer'],
  handoff: ['worker', 'operator'],
  investigate: ['operator'],
  review: ['reviewer'],
  decide: ['worker', 'reviewer', 'operator'],
  complete: ['worker', 'operator'],
  hold: ['operator'],
  resume: ['operator'],
  block: ['worker', 'operator'],
  unblock: ['worker', 'operator'],
  cancel: ['operator'],
  escalate: ['operator'],
  reconcile: ['operator'],
  correct: ['scout', 'worker', 'operator'],
};

const PAUSABLE = ['READY', 'IN_PROGRESS', 'VP_REVIEW', 'REWORK', 'MERGE_READY'];
/** Where each action exists. */
export const WHERE: Readonly<Record<string, readonly string[]>> = {
  promote: ['DISCOVERED'],
  claim: ['READY', 'REWORK', 'VP_REVIEW', 'OWNER_GATE'],
  result: ['IN_PROGRESS'],
  release: ['IN_PROGRESS', 'VP_REVIEW', 'OWNER_GATE'],
  handoff: ['IN_PROGRESS'],
  investigate: ['IN_PROGRESS'],
  review: ['VP_REVIEW'],
  decide: ['OWNER_GATE'],
  complete: ['MERGE_READY'],
  hold: ['DISCOVERED', ...PAUSABLE],
  resume: ['HOLD'],
  block: PAUSABLE,
  unblock: ['BLOCKED'],
  cancel: ['DISCOVERED', 'READY', 'REWORK', 'BLOCKED', 'HOLD'],
  escalate: ['READY', 'REWORK', 'MERGE_READY'],
  reconcile: ['OUTCOME_UNKNOWN'],
  correct: ['DISCOVERED', 'OWNER_GATE', 'BLOCKED', 'HOLD', ...PAUSABLE],
};

/** Actions that need not name their wait. */
const MAY_BE_NAMELESS = ['promote', 'claim', 'investigate', 'correct'];
const JUDGEMENTS = ['VP_REVIEW', 'OWNER_GATE'];

/** The code that this call is refused with; null when it is accepted. First objection wins, in the order of the contract. */
export function refusalOf(model: DeskModel, call: Call, work: ModelWork): string | null {
  const isOwner = isOne(call.who, 'owner');
  if (!isOwner && !MAY[call.action]?.some((role) => isOne(call.who, role))) return 'FORBIDDEN';
  return (
    wrongWait(call, work) ??
    wrongInput(call, work) ??
    wrongArtifact(call, work) ??
    wrongHolder(model, call, work) ??
    wrongMoment(model, call, work) ??
    notTheirs(call, work) ??
    incomplete(call, work) ??
    laterObjection(call, work)
  );
}

function wrongWait(call: Call, work: ModelWork): string | null {
  const isCurrent = call.wait === null || call.wait === work.wait;
  if (isCurrent && work.pending)
    return work.pending.action === 'claim' && call.action === 'claim' ? 'ALREADY_CLAIMED' : 'ALREADY_DECIDED';
  if (call.wait === null || (call.wait === work.wait && !hasEnded(work))) return null;
  const earlier = call.wait === 'unheard' ? undefined : work.answered[call.wait];
  if (earlier === 'claim' && call.action === 'claim' && work.lease) return 'ALREADY_CLAIMED';
  const isLast = call.wait === work.lastAnswered;
  if (earlier === call.action && (isLast || hasEnded(work))) return 'ALREADY_DECIDED';
  const seen = call.version ?? work.version - 1;
  const hasChanged = seen < work.version && work.version > 1;
  return hasChanged && call.version !== work.version ? 'INPUT_CHANGED' : 'STALE_INTERRUPT';
}

function wrongInput(call: Call, work: ModelWork): string | null {
  return call.version !== null && call.version !== work.version ? 'INPUT_CHANGED' : null;
}

function wrongArtifact(call: Call, work: ModelWork): string | null {
  if (call.action === 'result') return call.isStored ? null : 'ARTIFACT_UNKNOWN';
  if (!['review', 'decide', 'complete'].includes(call.action)) return null;
  // Only a decision can say that there is no artifact; the others then leave the field out.
  if (call.artifact === null && call.action !== 'decide') return null;
  return call.artifact === work.artifact ? null : 'ARTIFACT_MISMATCH';
}

function wrongHolder({ works, now_ms }: DeskModel, call: Call, work: ModelWork): string | null {
  const { lease, status } = work;
  const running = lease !== null && !isOver(lease, now_ms);
  if (call.action === 'claim') {
    if (status === 'IN_PROGRESS' || (JUDGEMENTS.includes(status) && running)) return 'ALREADY_CLAIMED';
    const blocked = call.work === 'second' && !(works.first && hasEnded(works.first));
    return blocked && (status === 'READY' || status === 'REWORK') ? 'BLOCKED_BY' : null;
  }
  const mustHold =
    ['result', 'release'].includes(call.action) && WHERE[call.action]?.includes(status)
      ? true
      : ['handoff', 'block', 'unblock'].includes(call.action) && isOne(call.who, 'worker');
  if (mustHold) {
    if (lease?.holder !== call.who) return 'NOT_HOLDER';
    return running ? null : 'LEASE_EXPIRED';
  }
  const judges = call.action === 'review' || call.action === 'decide';
  return judges && JUDGEMENTS.includes(status) && running && lease.holder !== call.who ? 'NOT_HOLDER' : null;
}

function wrongMoment({ now_ms }: DeskModel, call: Call, work: ModelWork): string | null {
  if (!WHERE[call.action]?.includes(work.status)) return 'ACTION_NOT_ALLOWED';
  if (call.action === 'claim' && !isOne(call.who, 'owner')) {
    const role = work.status === 'VP_REVIEW' ? 'reviewer' : work.status === 'OWNER_GATE' ? 'owner' : 'worker';
    if (!isOne(call.who, role)) return 'FORBIDDEN';
  }
  const running = work.lease !== null && !isOver(work.lease, now_ms);
  return call.action === 'investigate' && running ? 'ACTION_NOT_ALLOWED' : null;
}

function notTheirs(call: Call, work: ModelWork): string | null {
  const judges =
    ['review', 'decide'].includes(call.action) ||
    (call.action === 'claim' && JUDGEMENTS.includes(work.status));
  if (judges && work.author !== null && work.author === actorOf(call.who)) return 'SELF_APPROVAL';
  return call.action === 'decide' && !isOne(call.who, 'owner') ? 'OWNER_ONLY' : null;
}

function incomplete(call: Call, work: ModelWork): string | null {
  if (call.wait === null && !MAY_BE_NAMELESS.includes(call.action)) return 'INVALID';
  if (call.lacks && call.action !== 'claim' && call.action !== 'correct') return 'INVALID';
  if (call.action === 'result' && call.version === null) return 'INVALID';
  if (['review', 'complete'].includes(call.action) && call.artifact === null) return 'INVALID';
  return call.action === 'decide' && call.gateAction !== work.gate?.action ? 'ARTIFACT_MISMATCH' : null;
}

/** What only a look into the records shows. */
function laterObjection(call: Call, work: ModelWork): string | null {
  if (['review', 'decide'].includes(call.action) && work.makers.includes(actorOf(call.who)))
    return 'SELF_APPROVAL';
  if (call.action === 'complete' && call.choice === 'merged') {
    const fits = work.approval?.action === 'pay' && work.approval.artifact === work.artifact;
    return fits ? null : 'OWNER_ONLY';
  }
  if (call.action === 'investigate' && call.choice === 'result_found') {
    const late = call.adopts === null ? undefined : work.late[call.adopts];
    return late?.version === work.version ? null : 'INVALID';
  }
  return null;
}
