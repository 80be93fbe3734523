import fc from 'fast-check';
import type { Answer, FlowPolicy } from '../../src/core/advance.js';
import { OPTIONAL_STAGES } from '../../src/core/kind.js';
import { actionsIn, type Action } from '../../src/core/transitions.js';
import type { Party, Position } from '../../src/core/work.js';

export const hashOf = (digit: number): string => (digit % 16).toString(16).repeat(64);

/** Where every work begins. */
export const BEGINNING: Position = {
  tenant: 't',
  workId: 'w',
  kind: 'k',
  status: 'DISCOVERED',
  round: 1,
  step: 0,
  inputVersion: 1,
  inputSha256: hashOf(0),
  artifact: null,
  author: null,
  holder: null,
  findings: [],
  gate: null,
  approval: null,
  returnTo: null,
};

/** Kinds of every sort: any stages left out, any round limit, completion free or the owner's. */
export const policies: fc.Arbitrary<FlowPolicy> = fc.record({
  skips: fc.subarray([...OPTIONAL_STAGES]),
  roundLimit: fc.integer({ min: 1, max: 4 }),
  completion: fc.constant('pay'),
  ownerOnly: fc.constantFrom<readonly string[]>([], ['pay']),
});

/** One choice of a walk: numbers that pick the action and its words. */
export interface Choice {
  readonly action: number;
  readonly words: number;
  readonly by: Party;
}

const parties: fc.Arbitrary<Party> = fc.constantFrom('ann', 'bob', 'olga').map((name) => ({
  principal: name,
  actor: name,
}));
export const choices: fc.Arbitrary<Choice> = fc.record({
  action: fc.nat(1000),
  words: fc.nat(1000),
  by: parties,
});

const pick = <T>(options: readonly T[], number: number): T => {
  const picked = options[number % options.length];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
};

const FINDINGS = [{ validator: 'v', path: '', message: 'm' }];

/** An answer that the guard could have let through at this position; null where the work has ended. */
export function answerAt(position: Position, choice: Choice): Answer | null {
  // Ends and detours are taken seldom, or no walk would come far.
  const seldom = choice.words % 7 === 0 ? [] : ['cancel', 'correct', 'hold', 'block', 'escalate'];
  const all = actionsIn(position.status);
  const straight = all.filter((action) => !seldom.includes(action));
  const actions = straight.length > 0 ? straight : all;
  return actions.length === 0 ? null : answerOf(pick(actions, choice.action), position, choice);
}

function answerOf(action: Action, position: Position, { words, by }: Choice): Answer {
  switch (action) {
    case 'result':
      return { action, by, artifact: { sha256: hashOf(words) } };
    case 'handoff':
      return { action, by, to: pick([null, by], words) };
    case 'investigate': {
      const finding = pick(['result_found', 'nothing_found', 'outcome_unknown'] as const, words);
      return { action, by, finding, adopted: { artifact: { sha256: hashOf(words) }, author: by } };
    }
    case 'validated':
      return { action, outcome: pick(['passed', 'findings', 'failed'] as const, words), findings: FINDINGS };
    case 'review':
      return {
        action,
        by,
        verdict: pick(['PASS', 'REWORK', 'ESCALATE'] as const, words),
        findings: FINDINGS,
        reason: 'r',
      };
    case 'decide':
      return {
        action,
        by,
        decision: pick(['approve', 'reject', 'rework', 'hold'] as const, words),
        findings: FINDINGS,
      };
    case 'complete':
      return { action, by, outcome: pick(['merged', 'conflict', 'unknown'] as const, words) };
    case 'observe':
      return { action, by, outcome: pick(['ok', 'regressed'] as const, words) };
    case 'escalate':
      return { action, by, gateAction: pick(['pay', 'start'], words), reason: 'r' };
    case 'reconcile':
      return { action, by, finding: pick(['happened', 'did_not_happen'] as const, words) };
    case 'correct':
      return {
        action,
        by,
        inputVersion: position.inputVersion + 1,
        inputSha256: hashOf(words),
        findings: FINDINGS,
      };
    case 'promote':
    case 'claim':
    case 'release':
    case 'asset':
    case 'hold':
    case 'resume':
    case 'block':
    case 'unblock':
    case 'cancel':
    case 'doubt':
      return { action, by };
  }
}
