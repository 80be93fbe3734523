import { POLICY, actorOf, type Call, type Lease, type ModelWork } from './state.js';

/** The row after an accepted call, before it is applied. */
export function accepted(work: ModelWork, call: Call, now_ms: number): ModelWork {
  const receipts = { ...work.receipts, accepted: work.receipts.accepted + 1 };
  const counted = { ...work, receipts };
  const judged = work.status === 'VP_REVIEW' || work.status === 'OWNER_GATE';
  if (call.action === 'claim') {
    const lease = newLease(call.who, judged, now_ms);
    return judged ? { ...counted, lease } : answered({ ...counted, lease }, call);
  }
  // Giving a reserved judgement back moves nothing.
  if (call.action === 'release' && judged) return { ...counted, lease: null };
  if (call.action === 'reconcile' && call.choice === 'still_unknown') return counted;
  const parts =
    call.action === 'release' ||
    call.action === 'handoff' ||
    (call.action === 'investigate' && call.choice === 'nothing_found');
  return answered(
    {
      ...counted,
      handoffs: work.handoffs + Number(parts),
      lease:
        call.action === 'result' && work.lease ? { ...work.lease, state: 'result_received' } : work.lease,
    },
    call,
  );
}

function answered(work: ModelWork, call: Call): ModelWork {
  return {
    ...work,
    pending: call,
    answered: { ...work.answered, [work.wait]: call.action },
    lastAnswered: work.wait,
  };
}

function newLease(holder: string, judges: boolean, now_ms: number): Lease {
  return {
    holder,
    judges,
    state: 'reserved',
    claimedAt_ms: now_ms,
    expiresAt_ms: now_ms + (judges ? POLICY.reviewLease_ms : POLICY.lease_ms),
    limitAt_ms: now_ms + (judges ? POLICY.reviewLease_ms : POLICY.leaseLimit_ms),
    remaining_ms: null,
    progress: null,
    progressAt_ms: null,
  };
}

/** The row after its pending answer was applied: where the work goes, and what becomes of the reservation. */
export function applied(work: ModelWork, now_ms: number): ModelWork {
  const call = work.pending;
  if (!call) return work;
  const next = moved({ ...work, pending: null, wait: work.wait + 1 }, call, now_ms);
  return { ...next, lease: leaseAfter(next, now_ms) };
}

function leaseAfter(work: ModelWork, now_ms: number): Lease | null {
  const { lease, holder, status } = work;
  if (holder === null) return null;
  if (lease?.holder !== holder) return newLease(holder, false, now_ms);
  if (status === 'HOLD' || status === 'BLOCKED') {
    if (lease.expiresAt_ms === null) return lease;
    return { ...lease, expiresAt_ms: null, remaining_ms: Math.max(0, lease.expiresAt_ms - now_ms) };
  }
  if (lease.remaining_ms === null) return lease;
  return { ...lease, expiresAt_ms: now_ms + lease.remaining_ms, remaining_ms: null };
}

function moved(work: ModelWork, call: Call, now_ms: number): ModelWork {
  switch (call.action) {
    case 'promote':
      return { ...work, status: 'READY' };
    case 'claim':
      return { ...work, status: 'IN_PROGRESS', holder: call.who };
    case 'result':
      return validated(work, call.artifact, actorOf(call.who), [], call.isGood);
    case 'release':
      return queuedAgain(work);
    case 'handoff':
      return call.to === null ? queuedAgain(work) : { ...work, status: 'IN_PROGRESS', holder: call.to };
    case 'investigate':
      return investigated(work, call);
    case 'review':
      if (call.choice === 'PASS') return passed(work);
      if (call.choice === 'REWORK') return anotherRound(work);
      return atGate(work, 'decide_escalated_review', 'VP_REVIEW');
    case 'decide':
      return decided(work, call);
    case 'complete':
      if (call.choice === 'merged') return { ...work, status: 'DONE', approval: null, returnTo: null };
      if (call.choice === 'conflict') return anotherRound(work);
      return { ...work, status: 'OUTCOME_UNKNOWN', returnTo: 'MERGE_READY', approval: null };
    case 'hold':
    case 'block':
      return { ...work, status: call.action === 'hold' ? 'HOLD' : 'BLOCKED', returnTo: work.status };
    case 'resume':
    case 'unblock':
      return { ...work, status: work.returnTo ?? '', returnTo: null };
    case 'cancel':
      return { ...work, status: 'CANCELLED', holder: null };
    case 'escalate':
      return atGate(work, call.gateAction, work.status);
    case 'reconcile':
      return reconciled(work, call);
    case 'correct':
      return corrected(work, Number(call.choice), now_ms);
    default:
      throw new Error(`the model does not know ${call.action}`);
  }
}

function validated(
  work: ModelWork,
  artifact: string | null,
  author: string,
  others: readonly string[],
  isGood: boolean,
): ModelWork {
  const made = { ...work, artifact, author, makers: [author, ...others], holder: null, approval: null };
  return isGood ? { ...made, status: 'VP_REVIEW' } : anotherRound(made);
}

function queueOf(work: ModelWork): string {
  return work.round > 1 ? 'REWORK' : 'READY';
}

/** Back to the queue; to the owner when that has happened too often. */
function queuedAgain(work: ModelWork): ModelWork {
  if (work.handoffs > POLICY.lossLimit) return atGate(work, 'exceed_lease_losses', queueOf(work));
  return { ...work, status: queueOf(work), holder: null };
}

function investigated(work: ModelWork, call: Call): ModelWork {
  if (call.choice === 'nothing_found') return queuedAgain(work);
  if (call.choice === 'outcome_unknown')
    return { ...work, status: 'OUTCOME_UNKNOWN', returnTo: 'IN_PROGRESS', holder: null };
  const found = work.late[call.adopts ?? -1];
  if (!found) throw new Error('the model let an investigation through that found nothing');
  return validated(work, found.artifact, actorOf(found.by), [actorOf(call.who)], found.isGood);
}

function anotherRound(work: ModelWork): ModelWork {
  const next = { ...work, round: work.round + 1, holder: null, approval: null, gate: null };
  return next.round > POLICY.roundLimit
    ? atGate(next, 'exceed_round_limit', 'REWORK')
    : { ...next, status: 'REWORK' };
}

function atGate(work: ModelWork, action: string, from: string): ModelWork {
  return { ...work, status: 'OWNER_GATE', gate: { action, from }, approval: null, holder: null };
}

function passed(work: ModelWork): ModelWork {
  const approved = work.approval?.action === 'pay' && work.approval.artifact === work.artifact;
  return approved ? { ...work, status: 'MERGE_READY', holder: null } : atGate(work, 'pay', 'MERGE_READY');
}

function decided(work: ModelWork, call: Call): ModelWork {
  const { gate } = work;
  if (!gate) throw new Error('the model let a decision through where no gate is');
  switch (call.choice) {
    case 'approve': {
      const approval = { action: gate.action, artifact: work.artifact };
      return { ...work, status: gate.from, gate: null, approval };
    }
    case 'reject':
      return { ...work, status: 'CANCELLED', gate: null };
    case 'hold':
      return { ...work, status: 'HOLD', returnTo: 'OWNER_GATE' };
    default: {
      // The owner's wish for another round is the permission for it.
      const round = gate.action === 'exceed_round_limit' ? work.round : work.round + 1;
      return { ...work, status: 'REWORK', round, gate: null, approval: null, holder: null };
    }
  }
}

function reconciled(work: ModelWork, call: Call): ModelWork {
  const known = { ...work, returnTo: null };
  if (work.returnTo !== 'MERGE_READY') return { ...known, status: queueOf(work), holder: null };
  return call.choice === 'happened' ? { ...known, status: 'DONE', approval: null } : anotherRound(known);
}

/** A new input version: nothing that was made, judged or approved for the old one counts. */
function corrected(work: ModelWork, content: number, now_ms: number): ModelWork {
  const next: ModelWork = {
    ...work,
    content,
    version: work.version + 1,
    correctedAt_ms: now_ms,
    artifact: null,
    author: null,
    makers: [],
    approval: null,
  };
  const afterGate = work.gate?.from === 'READY' ? 'READY' : 'REWORK';
  switch (work.status) {
    case 'VP_REVIEW':
    case 'MERGE_READY':
      return { ...next, status: 'REWORK', gate: null, holder: null };
    case 'OWNER_GATE':
      return { ...next, status: afterGate, gate: null, holder: null };
    case 'HOLD':
    case 'BLOCKED': {
      const from = work.returnTo ?? '';
      const stays = ['DISCOVERED', 'READY', 'IN_PROGRESS', 'REWORK'].includes(from);
      const returnTo = stays ? from : from === 'OWNER_GATE' ? afterGate : 'REWORK';
      return { ...next, gate: null, returnTo };
    }
    default:
      return next;
  }
}
