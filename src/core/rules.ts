import { ALWAYS_OWNER_ONLY, type Kind } from './kind.js';
import type { RefusalCode } from './refusals.js';
import { ACTION_RULES, RESERVABLE_STATUSES, TRANSITIONS, actionsIn, type Action } from './transitions.js';
import { STATUSES, TERMINAL_STATUSES, isTerminal, type Status } from './work.js';

/** What people ask of a kind, in the order they ask it. */
export const RULE_TOPICS = [
  'same_work',
  'resend',
  'correction',
  'collision',
  'expiry',
  'handoff',
  'late_result',
  'judgement',
  'unknown_outcome',
  'owner_actions',
  'limits',
  'done',
] as const;
export type RuleTopic = (typeof RULE_TOPICS)[number];

/** One rule as people read it. */
export interface RuleSentence {
  readonly about: RuleTopic;
  readonly rule: string;
}

/**
 * What the desk checks for a kind, in sentences. Statuses, roles and bounds come from the table, the action rules and
 * the kind themselves, so that what people read changes with what is checked. Pure.
 */
export function rulesOf(kind: Kind): RuleSentence[] {
  return RULE_TOPICS.map((about) => ({ about, rule: SENTENCES[about](kind).join(' ') }));
}

const SENTENCES: Record<RuleTopic, (kind: Kind) => readonly string[]> = {
  same_work: ({ identity }) => [
    identity.length === 0
      ? 'Two inputs are the same work when they come under the same workId.'
      : `Two inputs are the same work when they agree in ${listed(identity)}; blanks around a text and its Unicode spelling make no difference.`,
    'Likeness of text plays no part.',
  ],
  resend: () => [
    'The same content again, in whatever field order or number format, finds the work that is there.',
    'The same answer again under its idempotency key gets the same receipt;',
    `another answer to a wait that has one is refused with ${code('ALREADY_DECIDED')}.`,
  ],
  correction: () => [
    `The same work with other content is refused with ${code('CONTENT_CHANGED')} unless it says that it is a correction;`,
    `then ${who('correct')} makes it the next input version, and reviews and approvals of the old one are void.`,
    correctionsMove(),
    `Whoever works on the old version is told ${code('INPUT_CHANGED')} with the paths that changed.`,
    `After ${listed(TERMINAL_STATUSES, 'or')} a correction opens a work of its own that links back.`,
  ],
  collision: (kind) => [
    `Of two claims exactly one is accepted; the other is refused with ${code('ALREADY_CLAIMED')} and told who holds the work and since when.`,
    `A claim lasts ${duration(kind.lease.lease_ms)}, renewals extend it to ${duration(kind.lease.leaseLimit_ms)} in all, and after ${duration(kind.lease.noProgress_ms)} without progress they are refused with ${code('NO_PROGRESS')}.`,
    `In ${listed(RESERVABLE_STATUSES)} a claim reserves the judgement for ${duration(kind.reviewLease_ms)}; a release gives it back sooner.`,
  ],
  expiry: (kind) => [
    `A reservation that runs out starts nothing: ${who('investigate')} looks first and records what was found, and only that leads on, to ${leadsTo('IN_PROGRESS', 'investigate')}.`,
    findsNothingAlone(kind)
      ? 'Where nothing at all was stored, the desk records nothing_found by itself.'
      : 'The desk never records nothing_found by itself.',
    'While the work is parked the clock stands still and its owner stays.',
  ],
  handoff: () => [
    `${capital(who('handoff'))} may hand a work on, and its holder may release it; it goes to ${leadsTo('IN_PROGRESS', 'handoff')}.`,
    'The interrupt ID of the former holder is retired at once, and the next claim carries what was done, what is left and which effects there are.',
  ],
  late_result: () => [
    'A result that comes too late, from a former holder or for an old input version, is turned away and kept as a reference.',
    'The holder of the same input version may adopt it by its receipt ID; the author stays who made it.',
  ],
  judgement: (kind) =>
    kind.skips.includes('VP_REVIEW')
      ? ['This kind has no review: what its validators pass goes on.']
      : [
          `${capital(who('review'))} judges, naming the artifact that was read and where the evidence is;`,
          `whoever answers for the author is refused with ${code('SELF_APPROVAL')}.`,
        ],
  unknown_outcome: ({ effects }) => [
    effects.length === 0
      ? 'This kind declares no external effects.'
      : `External effects of this kind: ${listed(effects)}.`,
    'An effect is announced before it is done, and one operation gets one go-ahead.',
    'While the outcome of one is not known the work is neither handed in, nor completed, nor run again: it goes to OUTCOME_UNKNOWN,',
    `until ${who('reconcile')} says with evidence what happened; from there it goes to ${leadsTo('OUTCOME_UNKNOWN', 'reconcile')}.`,
  ],
  owner_actions: (kind) => [
    `Always stops at OWNER_GATE: ${listed([...new Set([...ALWAYS_OWNER_ONLY, ...kind.ownerOnly])])}.`,
    kind.approvals > 1
      ? `It opens when owners of ${kind.approvals} different actors approve.`
      : 'It opens when an owner approves.',
    'An approval fits one wait, one artifact and one action, once; entering the gate, another artifact or another input version voids it.',
  ],
  limits: (kind) => [
    `The REWORK after round ${kind.roundLimit} goes to OWNER_GATE.`,
    `So does a work that was released, handed on or lost more than ${times(kind.leaseLossLimit)}.`,
    `A validator that fails itself is tried ${times(kind.validatorRetries + 1)}, then the work is BLOCKED.`,
  ],
  done: (kind) => [
    `It is done after ${stagesOf(kind).join(', ')}.`,
    `MERGE_READY waits for the report that "${kind.completion}" was done, with its external ID; Signalbox does not do it itself.`,
  ],
};

/** Whether an expiry with nothing stored is settled without asking anybody. */
export function findsNothingAlone(kind: Pick<Kind, 'autoNothingFound' | 'effects'>): boolean {
  return kind.autoNothingFound && kind.effects.length === 0;
}

/** Where a correction leaves a work, and where it has to wait: read from the table. */
function correctionsMove(): string {
  const back = STATUSES.filter((from) => leads(from, 'correct').some((to) => to !== from));
  const waits = STATUSES.filter((from) => !isTerminal(from) && !actionsIn(from).includes('correct'));
  const targets = [...new Set(back.flatMap((from) => leads(from, 'correct')))];
  return [
    `In ${listed(back, 'or')} the work goes back to ${listed(targets, 'or')}, elsewhere it stays where it is.`,
    ...(waits.length > 0
      ? [`In ${listed(waits, 'or')} it is refused with ${code('ACTION_NOT_ALLOWED')}.`]
      : []),
  ].join(' ');
}

function stagesOf(kind: Kind): string[] {
  const all: readonly Status[] = [
    'IN_PROGRESS',
    'VALIDATION',
    'VP_REVIEW',
    'OWNER_GATE',
    'MERGE_READY',
    'OBSERVING',
    'ASSET_GATE',
  ];
  return all
    .filter((status) => !(kind.skips as readonly Status[]).includes(status))
    .filter((status) => status !== 'OWNER_GATE' || kind.ownerOnly.includes(kind.completion))
    .map((status) => (status === 'OBSERVING' ? `OBSERVING (${duration(kind.observation_ms)})` : status));
}

const leads = (from: Status, action: Action): readonly Status[] => TRANSITIONS[from].next[action] ?? [];
const leadsTo = (from: Status, action: Action): string => listed(leads(from, action), 'or');

function who(action: Action): string {
  const roles = [...new Set([...ACTION_RULES[action].roles, 'owner'])];
  const named = listed(roles, 'or');
  return `${/^[aeo]/.test(named) ? 'an' : 'a'} ${named}`;
}

/** Only codes that exist can be named. */
const code = (name: RefusalCode): string => name;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function listed(words: readonly string[], last = 'and'): string {
  return words.length < 2
    ? (words[0] ?? '')
    : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1) ?? ''}`;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A span in the largest unit that divides it. */
function duration(span_ms: number): string {
  for (const [unit, unit_ms] of UNITS) {
    const count = span_ms / unit_ms;
    if (Number.isInteger(count)) return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
  }
  return `${span_ms} ms`;
}
