import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROUND_LIMIT_GATE, advance, type Answer, type FlowPolicy } from '../../src/core/advance.js';
import { mayLead } from '../../src/core/transitions.js';
import { STATUSES, isTerminal, type Position, type Status } from '../../src/core/work.js';
import { BEGINNING, answerAt, choices, hashOf, policies } from './positions.js';

const WALK = fc.array(choices, { minLength: 1, maxLength: 60 });

interface Step {
  readonly before: Position;
  readonly answer: Answer;
  readonly after: Position;
}

/** Walks at random over every sort of kind; gives the shortest walk it found to a step that is not as it must be. */
function wrongStep(isRight: (step: Step, policy: FlowPolicy) => boolean, runs = 400): unknown {
  const result = fc.check(
    fc.property(policies, WALK, (policy, walk) => {
      let before = BEGINNING;
      for (const choice of walk) {
        const answer = answerAt(before, choice);
        if (!answer) return true;
        const after = advance(before, answer, policy);
        if (!isRight({ before, answer, after }, policy)) return false;
        before = after;
      }
      return true;
    }),
    { numRuns: runs, seed: 4114 },
  );
  return result.failed ? { walk: result.counterexample, error: result.errorInstance } : null;
}

const NOBODY = { action: 0, words: 0, by: { principal: 'x', actor: 'x' } };

describe('random walks over the table', () => {
  it('never leave it, and count every step', () => {
    expect(
      wrongStep(
        ({ before, answer, after }) =>
          mayLead(before.status, answer.action, after.status) && after.step === before.step + 1,
      ),
    ).toBeNull();
  });

  it('come to every status', () => {
    const seen = new Set<Status>(['DISCOVERED']);
    expect(wrongStep(({ after }) => seen.add(after.status).size > 0, 1500)).toBeNull();
    expect(STATUSES.filter((status) => !seen.has(status))).toEqual([]);
  });

  it('never lower the round, and raise it by one at most', () => {
    expect(
      wrongStep(({ before, after }) => after.round === before.round || after.round === before.round + 1),
    ).toBeNull();
  });

  it('go over the round limit only at the gate that asks for it, or after an owner has said so', () => {
    expect(
      wrongStep(({ before, answer, after }, policy) => {
        const crosses = after.round > policy.roundLimit && before.round <= policy.roundLimit;
        return !crosses || answer.action === 'decide' || after.gate?.action === ROUND_LIMIT_GATE;
      }),
    ).toBeNull();
  });

  it('void every approval on entering the gate, and on every new artifact or input', () => {
    expect(
      wrongStep(({ before, after }) => {
        const enters = after.status === 'OWNER_GATE' && before.status !== 'OWNER_GATE';
        const renewed =
          after.artifact?.sha256 !== before.artifact?.sha256 || after.inputVersion !== before.inputVersion;
        return !(enters || renewed) || after.approval === null;
      }),
    ).toBeNull();
  });

  it('give an approval for the bytes the owner saw and the action the gate named, nothing else', () => {
    expect(
      wrongStep(({ before, answer, after }) => {
        if (after.approval === null || after.approval === before.approval) return true;
        return (
          answer.action === 'decide' &&
          answer.decision === 'approve' &&
          after.approval.action === before.gate?.action &&
          after.approval.artifactSha256 === (before.artifact?.sha256 ?? null)
        );
      }),
    ).toBeNull();
  });

  it('come to an owner-only action only with an approval of that action for these very bytes', () => {
    expect(
      wrongStep(({ after }, policy) => {
        if (after.status !== 'MERGE_READY' || !policy.ownerOnly.includes('pay')) return true;
        return (
          after.approval?.action === 'pay' &&
          after.approval.artifactSha256 === (after.artifact?.sha256 ?? null)
        );
      }),
    ).toBeNull();
  });

  it('stand at the gate only with a question', () => {
    expect(wrongStep(({ after }) => after.status !== 'OWNER_GATE' || after.gate !== null)).toBeNull();
  });

  it('have a holder while somebody works, or while that work is parked, and at no other time', () => {
    expect(
      wrongStep(({ after }) =>
        after.holder
          ? ['IN_PROGRESS', 'HOLD', 'BLOCKED'].includes(after.status)
          : after.status !== 'IN_PROGRESS',
      ),
    ).toBeNull();
  });

  it('end for good', () => {
    expect(
      wrongStep(({ after }) => !isTerminal(after.status) || answerAt(after, NOBODY) === null),
    ).toBeNull();
  });
});

const POLICY: FlowPolicy = { skips: [], roundLimit: 3, completion: 'pay', ownerOnly: ['pay'] };
const BY = { principal: 'scout', actor: 'scout' };
const correction: Answer = {
  action: 'correct',
  by: BY,
  inputVersion: 2,
  inputSha256: hashOf(7),
  findings: [{ validator: 'correction', path: '/total', message: 'changed' }],
};
const made: Partial<Position> = {
  artifact: { sha256: hashOf(1) },
  author: { principal: 'ann', actor: 'ann' },
  approval: { action: 'pay', artifactSha256: hashOf(1), by: { principal: 'olga', actor: 'olga' } },
};
const gate = (from: Status) => ({ action: 'pay', from, reason: 'r' });

describe('a correction', () => {
  it.each<[string, Partial<Position>, Status, Status | null]>([
    ['leaves untriaged work where it is', { status: 'DISCOVERED' }, 'DISCOVERED', null],
    ['leaves work that nobody has begun in its queue', { status: 'READY' }, 'READY', null],
    [
      'leaves the holder its work, on the new input',
      { status: 'IN_PROGRESS', holder: BY },
      'IN_PROGRESS',
      null,
    ],
    ['leaves work that is to be redone to be redone', { status: 'REWORK', ...made }, 'REWORK', null],
    ['sends work under review back', { status: 'VP_REVIEW', ...made }, 'REWORK', null],
    ['sends approved work back', { status: 'MERGE_READY', ...made }, 'REWORK', null],
    ['sends observed work back', { status: 'OBSERVING', ...made }, 'REWORK', null],
    ['sends work at the asset gate back', { status: 'ASSET_GATE', ...made }, 'REWORK', null],
    [
      'takes its question from the gate',
      { status: 'OWNER_GATE', gate: gate('MERGE_READY'), ...made },
      'REWORK',
      null,
    ],
    [
      'takes a question raised before the work back to the queue',
      { status: 'OWNER_GATE', gate: gate('READY') },
      'READY',
      null,
    ],
    [
      'changes where a pause of a review ends',
      { status: 'HOLD', returnTo: 'VP_REVIEW', ...made },
      'HOLD',
      'REWORK',
    ],
    [
      'changes where a pause at the gate ends',
      { status: 'HOLD', returnTo: 'OWNER_GATE', gate: gate('MERGE_READY'), ...made },
      'HOLD',
      'REWORK',
    ],
    [
      'leaves a pause of work as it is',
      { status: 'HOLD', returnTo: 'IN_PROGRESS', holder: BY },
      'HOLD',
      'IN_PROGRESS',
    ],
    [
      'changes where a block of a validation ends',
      { status: 'BLOCKED', returnTo: 'VALIDATION', ...made },
      'BLOCKED',
      'REWORK',
    ],
  ])('%s', (_name, at, status, returnTo) => {
    const after = advance({ ...BEGINNING, ...at }, correction, POLICY);
    expect(after).toMatchObject({ status, returnTo, inputVersion: 2, inputSha256: hashOf(7) });
    expect([after.artifact, after.author, after.approval, after.gate]).toEqual([null, null, null, null]);
    expect(after.round).toBe(1);
  });

  it('does not exist once the work has ended, and not while its outcome is unknown', () => {
    for (const status of ['DONE', 'CANCELLED', 'OUTCOME_UNKNOWN', 'VALIDATION'] as const)
      expect(() => advance({ ...BEGINNING, status }, correction, POLICY)).toThrow(/transition table/);
  });
});

describe('an approval', () => {
  const OWNERS: FlowPolicy = { ...POLICY, completion: 'pay', ownerOnly: ['pay'] };
  const pass: Answer = { action: 'review', by: BY, verdict: 'PASS', findings: [], reason: '' };
  const escalated: Answer = { action: 'escalate', by: BY, gateAction: 'publish', reason: 'r' };
  const olga = { principal: 'olga', actor: 'olga' };
  const other = (approval: Partial<NonNullable<Position['approval']>>): Position => ({
    ...BEGINNING,
    ...made,
    status: 'VP_REVIEW',
    approval: { action: 'pay', artifactSha256: hashOf(1), by: olga, ...approval },
  });

  it('is void at the next gate, whichever way the work comes there', () => {
    const ready: Position = { ...BEGINNING, ...made, status: 'MERGE_READY' };
    expect(advance(ready, escalated, OWNERS)).toMatchObject({ status: 'OWNER_GATE', approval: null });
    const reviewed = advance(other({ action: 'decide_escalated_review' }), pass, OWNERS);
    expect(reviewed).toMatchObject({ status: 'OWNER_GATE', gate: { action: 'pay' }, approval: null });
  });

  it('opens the completion for these bytes and this action, and for nothing else', () => {
    expect(advance(other({}), pass, OWNERS).status).toBe('MERGE_READY');
    expect(advance(other({ artifactSha256: hashOf(2) }), pass, OWNERS).status).toBe('OWNER_GATE');
    expect(advance(other({ action: 'publish' }), pass, OWNERS).status).toBe('OWNER_GATE');
  });
});

describe('the rounds', () => {
  it('go to the gate when they are used up, and an approval there allows one more', () => {
    const last: Position = { ...BEGINNING, ...made, status: 'VP_REVIEW', round: 3, approval: null };
    const rework: Answer = { action: 'review', by: BY, verdict: 'REWORK', findings: [], reason: 'r' };
    const gated = advance(last, rework, POLICY);
    expect(gated).toMatchObject({ status: 'OWNER_GATE', round: 4, gate: { action: ROUND_LIMIT_GATE } });
    const approved = advance(gated, { action: 'decide', by: BY, decision: 'approve', findings: [] }, POLICY);
    expect(approved).toMatchObject({ status: 'REWORK', round: 4, gate: null });
  });
});

describe('a work that was let go of too often', () => {
  const working: Position = { ...BEGINNING, status: 'IN_PROGRESS', holder: BY };
  const nothing: Answer = { action: 'investigate', by: BY, finding: 'nothing_found' };

  it.each([1, 2])('goes to its owner instead of the queue, in round %i', (round) => {
    const at = { ...working, round };
    expect(advance(at, nothing, POLICY).status).toBe(round === 1 ? 'READY' : 'REWORK');
    const lost = advance(at, { ...nothing, lossesExceeded: true }, POLICY);
    expect(lost).toMatchObject({ status: 'OWNER_GATE', round, holder: null });
  });
});
