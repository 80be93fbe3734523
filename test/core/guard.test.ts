import { describe, expect, it } from 'vitest';
import { RULES, decide, type Decision, type Facts } from '../../src/core/guard.js';
import type { Submission, SubmissionOf } from '../../src/core/submission.js';
import type { Caller, Position, Role, Status } from '../../src/core/work.js';

const HASH = 'a'.repeat(64);
const OTHER_HASH = 'b'.repeat(64);
const NOW_ms = 1_000_000;

const caller = (name: string, ...roles: Role[]): Caller => ({
  tenant: 't',
  principal: name,
  actor: name,
  roles,
});

const lease = (
  holder: string,
  more: Partial<NonNullable<Facts['lease']>> = {},
): NonNullable<Facts['lease']> => ({
  holder,
  actor: holder,
  interruptId: 'now',
  state: 'reserved',
  claimedAt_ms: NOW_ms - 10,
  expiresAt_ms: NOW_ms + 10,
  ...more,
});

const position = (status: Status, more: Partial<Position> = {}): Position => ({
  tenant: 't',
  workId: 'w',
  kind: 'k',
  status,
  round: 1,
  step: 3,
  inputVersion: 2,
  inputSha256: HASH,
  artifact: { sha256: HASH },
  author: { principal: 'ann', actor: 'ann' },
  holder: null,
  findings: [],
  gate: status === 'OWNER_GATE' ? { action: 'pay', from: 'MERGE_READY', reason: 'r' } : null,
  approval: null,
  returnTo: null,
  ...more,
});

const facts = (status: Status, more: Partial<Facts> = {}): Facts => ({
  now_ms: NOW_ms,
  caller: caller('rita', 'reviewer'),
  position: position(status),
  interruptId: 'now',
  pending: null,
  answeredBy: null,
  changedSince: [],
  lease: null,
  openBlockers: [],
  openEffects: [],
  artifactStored: true,
  ...more,
});

const review = (more: Partial<SubmissionOf<'review'>> = {}): Submission => ({
  action: 'review',
  interruptId: 'now',
  inputVersion: 2,
  artifactSha256: HASH,
  verdict: 'PASS',
  evidenceRef: 'log:1',
  ...more,
});

const result = (more: Partial<SubmissionOf<'result'>> = {}): Submission => ({
  action: 'result',
  interruptId: 'now',
  inputVersion: 2,
  artifact: { sha256: HASH },
  ...more,
});

const worker = (more: Partial<Facts> = {}): Facts =>
  facts('IN_PROGRESS', { caller: caller('wim', 'worker'), lease: lease('wim'), ...more });

const codeOf = (decision: Decision): string => (decision.outcome === 'accept' ? 'accept' : decision.code);

describe('the guard accepts', () => {
  it('a complete verdict on the current wait by somebody else than the author', () => {
    expect(decide(facts('VP_REVIEW'), review())).toEqual({ outcome: 'accept' });
  });

  it("the holder's result for the current wait", () => {
    expect(decide(worker(), result())).toEqual({ outcome: 'accept' });
  });

  it('a result while the clock of a lease stands still', () => {
    expect(decide(worker({ lease: lease('wim', { expiresAt_ms: null }) }), result())).toEqual({
      outcome: 'accept',
    });
  });

  it("an owner's decision on the action the gate names", () => {
    const submission: Submission = {
      action: 'decide',
      interruptId: 'now',
      artifactSha256: HASH,
      gateAction: 'pay',
      decision: 'approve',
      reason: 'fine',
    };
    expect(decide(facts('OWNER_GATE', { caller: caller('olga', 'owner') }), submission)).toEqual({
      outcome: 'accept',
    });
  });
});

/** Name, facts, submission and the one code each deserves. */
const REFUSED: readonly [string, Facts, Submission, string][] = [
  [
    'a role that may not review',
    facts('VP_REVIEW', { caller: caller('vic', 'viewer') }),
    review(),
    'FORBIDDEN',
  ],
  ['an interrupt ID that is past', facts('VP_REVIEW'), review({ interruptId: 'old' }), 'STALE_INTERRUPT'],
  [
    'a second answer while the first is being applied',
    facts('VP_REVIEW', { pending: { receiptId: 'r1', action: 'review', by: 'rob' } }),
    review(),
    'ALREADY_DECIDED',
  ],
  [
    'a second answer after the first was applied',
    facts('REWORK', { answeredBy: { receiptId: 'r1', action: 'review', by: 'rob', isLatest: true } }),
    review({ interruptId: 'old' }),
    'ALREADY_DECIDED',
  ],
  [
    'an answer whose wait another kind of answer has ended',
    facts('REWORK', { answeredBy: { receiptId: 'r1', action: 'hold', by: 'rob', isLatest: true } }),
    review({ interruptId: 'old' }),
    'STALE_INTERRUPT',
  ],
  [
    'a repeat of an answer that later answers have overtaken',
    facts('VP_REVIEW', { answeredBy: { receiptId: 'r1', action: 'review', by: 'rob', isLatest: false } }),
    review({ interruptId: 'old' }),
    'STALE_INTERRUPT',
  ],
  [
    'a wait that a correction has ended',
    worker({ changedSince: [{ path: '/total', before: 1, after: 2 }] }),
    result({ interruptId: 'old', inputVersion: 1 }),
    'INPUT_CHANGED',
  ],
  ['an older input version on the current wait', worker(), result({ inputVersion: 1 }), 'INPUT_CHANGED'],
  ['another input hash', worker(), result({ inputSha256: OTHER_HASH }), 'INPUT_CHANGED'],
  ['a result whose bytes nobody stored', worker({ artifactStored: false }), result(), 'ARTIFACT_UNKNOWN'],
  [
    'a verdict on other bytes',
    facts('VP_REVIEW'),
    review({ artifactSha256: OTHER_HASH }),
    'ARTIFACT_MISMATCH',
  ],
  [
    'a verdict on another commit',
    facts('VP_REVIEW'),
    review({ headSha: 'c'.repeat(40) }),
    'ARTIFACT_MISMATCH',
  ],
  ["somebody else's lease", worker({ lease: lease('wanda') }), result(), 'NOT_HOLDER'],
  ['no lease at all', worker({ lease: null }), result(), 'NOT_HOLDER'],
  [
    'a lease that ends this very millisecond',
    worker({ lease: lease('wim', { expiresAt_ms: NOW_ms }) }),
    result(),
    'LEASE_EXPIRED',
  ],
  [
    'a lease under investigation',
    worker({ lease: lease('wim', { state: 'unknown' }) }),
    result(),
    'LEASE_EXPIRED',
  ],
  [
    "a handoff of somebody else's work by a worker",
    worker({ lease: lease('wanda') }),
    { action: 'handoff', interruptId: 'now', reason: 'r' },
    'NOT_HOLDER',
  ],
  [
    'a judgement that another reviewer has reserved',
    facts('VP_REVIEW', { lease: lease('rob') }),
    review(),
    'NOT_HOLDER',
  ],
  [
    "the release of another reviewer's reservation",
    facts('VP_REVIEW', { lease: lease('rob') }),
    { action: 'release', interruptId: 'now', reason: 'r' },
    'NOT_HOLDER',
  ],
  [
    'the release of a judgement that nobody has reserved',
    facts('OWNER_GATE', { caller: caller('olga', 'owner'), lease: null }),
    { action: 'release', interruptId: 'now', reason: 'r' },
    'NOT_HOLDER',
  ],
  [
    'a release where nothing is held',
    facts('MERGE_READY', { caller: caller('wim', 'worker') }),
    { action: 'release', interruptId: 'now', reason: 'r' },
    'ACTION_NOT_ALLOWED',
  ],
  [
    'a claim of what is being worked on',
    worker({ lease: lease('wanda') }),
    { action: 'claim' },
    'ALREADY_CLAIMED',
  ],
  [
    'a claim while another claim is being applied',
    facts('READY', {
      caller: caller('wim', 'worker'),
      pending: { receiptId: 'r1', action: 'claim', by: 'wanda' },
      lease: lease('wanda'),
    }),
    { action: 'claim' },
    'ALREADY_CLAIMED',
  ],
  [
    'a claim of the wait that an earlier claim has taken',
    worker({
      lease: lease('wanda'),
      position: position('IN_PROGRESS', { holder: { principal: 'wanda', actor: 'wanda' } }),
      answeredBy: { receiptId: 'r1', action: 'claim', by: 'wanda', isLatest: true },
    }),
    { action: 'claim', interruptId: 'old' },
    'ALREADY_CLAIMED',
  ],
  [
    'a claim of blocked work',
    facts('READY', { caller: caller('wim', 'worker'), openBlockers: ['first'] }),
    { action: 'claim' },
    'BLOCKED_BY',
  ],
  ['a verdict in a status without one', facts('HOLD'), review(), 'ACTION_NOT_ALLOWED'],
  ['anything after DONE', facts('DONE', { caller: caller('wim', 'worker') }), result(), 'ACTION_NOT_ALLOWED'],
  ['a claim of work by a reviewer', facts('READY'), { action: 'claim' }, 'FORBIDDEN'],
  [
    "the author's own verdict",
    facts('VP_REVIEW', { caller: caller('ann', 'reviewer') }),
    review(),
    'SELF_APPROVAL',
  ],
  [
    "the verdict of another principal of the author's actor",
    facts('VP_REVIEW', { caller: { ...caller('ann-2', 'reviewer'), actor: 'ann' } }),
    review(),
    'SELF_APPROVAL',
  ],
  [
    "the author's verdict in a colleague's name",
    facts('VP_REVIEW', {
      caller: { ...caller('rita', 'reviewer'), via: { principal: 'ann', actor: 'ann', reason: 'r' } },
    }),
    review(),
    'SELF_APPROVAL',
  ],
  [
    "the author's reservation of the judgement",
    facts('VP_REVIEW', { caller: caller('ann', 'reviewer') }),
    { action: 'claim' },
    'SELF_APPROVAL',
  ],
  [
    "a worker's decision at the gate",
    facts('OWNER_GATE', { caller: caller('wim', 'worker') }),
    { action: 'decide' },
    'OWNER_ONLY',
  ],
  ['a PASS without evidence', facts('VP_REVIEW'), review({ evidenceRef: undefined }), 'INVALID'],
  ['a PASS with blank evidence', facts('VP_REVIEW'), review({ evidenceRef: ' \t' }), 'INVALID'],
  ['a PASS without the hash it read', facts('VP_REVIEW'), review({ artifactSha256: undefined }), 'INVALID'],
  ['a REWORK that asks for nothing', facts('VP_REVIEW'), review({ verdict: 'REWORK' }), 'INVALID'],
  [
    'a decision on another action than the gate asks about',
    facts('OWNER_GATE', { caller: caller('olga', 'owner') }),
    {
      action: 'decide',
      interruptId: 'now',
      artifactSha256: HASH,
      gateAction: 'publish',
      decision: 'approve',
      reason: 'r',
    },
    'ARTIFACT_MISMATCH',
  ],
];

describe('the guard turns away', () => {
  it.each(REFUSED)('%s', (_name, given, submission, code) => {
    expect(codeOf(decide(given, submission))).toBe(code);
  });
});

/** A verdict that is right in every respect, and for each rule of the guard one way to spoil exactly that. */
const SPOILT: readonly {
  rule: string;
  code: string;
  facts?: Partial<Facts>;
  submission?: Partial<SubmissionOf<'review'>>;
  position?: Partial<Position>;
}[] = [
  { rule: 'allowed', code: 'FORBIDDEN', facts: { caller: caller('rita', 'viewer') } },
  { rule: 'currentWait', code: 'STALE_INTERRUPT', submission: { interruptId: 'old' } },
  { rule: 'currentInput', code: 'INPUT_CHANGED', submission: { inputVersion: 1 } },
  { rule: 'matchingArtifact', code: 'ARTIFACT_MISMATCH', submission: { artifactSha256: OTHER_HASH } },
  { rule: 'holderAndLease', code: 'NOT_HOLDER', facts: { lease: lease('rob') } },
  { rule: 'actionExists', code: 'ACTION_NOT_ALLOWED', position: { status: 'HOLD' } },
  {
    rule: 'separationOfDuties',
    code: 'SELF_APPROVAL',
    position: { author: { principal: 'rita', actor: 'rita' } },
  },
  { rule: 'ownFields', code: 'INVALID', submission: { evidenceRef: undefined } },
];

const PAIRS = SPOILT.flatMap((earlier, index) =>
  SPOILT.slice(index + 1).map((later) => [earlier.rule, later.rule, earlier, later] as const),
).filter(([earlier, later]) => !(earlier === 'holderAndLease' && later === 'actionExists'));

describe('the order of the guard', () => {
  it('is that of the design', () => {
    const others = RULES.map((rule) => rule.name).filter((name) => name !== 'effectsKnown');
    expect(others).toEqual(SPOILT.map(({ rule }) => rule));
    // A verdict does not touch effects, so this rule's place is told apart from the pairs.
    expect(RULES.findIndex((rule) => rule.name === 'effectsKnown')).toBe(
      others.indexOf('separationOfDuties'),
    );
  });

  it('an effect of unknown outcome stands before a result, and says which', () => {
    const given = worker({ openEffects: ['pay-1'] });
    const decision = decide(given, result());
    expect(decision).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
      detail: expect.stringContaining('pay-1') as string,
    });
    expect(
      codeOf(
        decide(
          given,
          result(),
          RULES.filter((rule) => rule.name !== 'effectsKnown'),
        ),
      ),
    ).toBe('accept');
  });

  it.each(PAIRS)('%s is told before %s', (_earlier, _later, earlier, later) => {
    const given = facts('VP_REVIEW', { ...earlier.facts, ...later.facts });
    const spoilt = {
      ...given,
      position: { ...given.position, ...earlier.position, ...later.position },
    };
    const submission = review({ ...earlier.submission, ...later.submission });
    expect(codeOf(decide(spoilt, submission))).toBe(earlier.code);
    const without = RULES.filter((rule) => rule.name !== earlier.rule);
    expect(codeOf(decide(spoilt, submission, without))).toBe(later.code);
  });

  it('holderAndLease is told before actionExists: who holds the work says more than that it cannot be claimed', () => {
    const given = worker({ lease: lease('wanda') });
    expect(codeOf(decide(given, { action: 'claim' }))).toBe('ALREADY_CLAIMED');
    const without = RULES.filter((rule) => rule.name !== 'holderAndLease');
    expect(codeOf(decide(given, { action: 'claim' }, without))).toBe('ACTION_NOT_ALLOWED');
  });
});
