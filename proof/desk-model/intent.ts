import fc from 'fast-check';
import { sha256 } from '../../src/core/identity.js';
import { PEOPLE, WORKS, type Call, type DeskModel, type ModelWork, type WorkName } from './state.js';

/** What somebody means to do, before it is known where the work stands: mostly what is apt there, sometimes anything. */
export interface Intent {
  readonly work: WorkName;
  /** An action whatever the status; null takes one that fits. */
  readonly action: string | null;
  readonly pick: number;
  /** A name, or null for whoever is the right one. */
  readonly who: string | null;
  readonly wait: 'current' | 'none' | 'unheard' | number;
  readonly version: 'current' | 'none' | 'older' | 'newer';
  readonly artifact: 'held' | 'none' | 'other';
  readonly result: 'good' | 'bad' | 'missing';
  readonly choice: number;
  readonly gate: 'asked' | 'other';
  readonly to: string | null;
  readonly lacks: boolean;
  /** The process ends between accepting and applying. */
  readonly crashes: boolean;
}

const mostly = <T>(usual: T, others: fc.Arbitrary<T>, weight = 8): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: others, weight: 1 });

const names = Object.keys(PEOPLE);

export const intents: fc.Arbitrary<Intent> = fc.record({
  work: mostly<WorkName>('first', fc.constantFrom(...WORKS), 2),
  action: mostly<string | null>(
    null,
    fc.nat(16).map((index) => ACTIONS[index] ?? null),
    6,
  ),
  pick: fc.nat(59),
  who: mostly<string | null>(null, fc.constantFrom(...names), 5),
  wait: mostly<Intent['wait']>(
    'current',
    fc.oneof(fc.constantFrom('none' as const, 'unheard' as const), fc.nat(5)),
  ),
  version: mostly<Intent['version']>('current', fc.constantFrom('none', 'older', 'newer')),
  artifact: mostly<Intent['artifact']>('held', fc.constantFrom('none', 'other')),
  result: mostly<Intent['result']>('good', fc.constantFrom('bad', 'missing'), 3),
  choice: fc.nat(59),
  gate: mostly<Intent['gate']>('asked', fc.constant('other')),
  to: fc.constantFrom('ann', 'bob', null),
  lacks: mostly(false, fc.constant(true), 15),
  crashes: mostly(false, fc.constant(true), 8),
});

const often = (action: string): string[] => Array.from({ length: 8 }, () => action);

/** What fits each status; what leads on stands there more often. */
const APT: Readonly<Record<string, readonly string[]>> = {
  DISCOVERED: [...often('promote'), 'hold'],
  READY: [...often('claim'), 'hold', 'block', 'escalate'],
  IN_PROGRESS: [...often('result'), 'release', 'handoff', 'investigate', 'hold', 'block'],
  VP_REVIEW: [...often('review'), 'claim', 'release', 'hold', 'block'],
  REWORK: [...often('claim'), 'hold', 'escalate'],
  OWNER_GATE: [...often('decide'), 'claim', 'release'],
  MERGE_READY: [...often('complete'), 'escalate', 'hold', 'block'],
  BLOCKED: [...often('unblock'), 'cancel'],
  HOLD: [...often('resume'), 'cancel'],
  OUTCOME_UNKNOWN: ['reconcile'],
  DONE: ['claim', 'complete'],
  CANCELLED: ['claim', 'promote'],
};

const ACTIONS = [...new Set(Object.values(APT).flat())];

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  review: ['PASS', 'PASS', 'PASS', 'REWORK', 'ESCALATE'],
  decide: ['approve', 'approve', 'approve', 'approve', 'approve', 'reject', 'rework', 'hold'],
  complete: ['merged', 'merged', 'conflict', 'unknown'],
  investigate: ['nothing_found', 'result_found', 'result_found', 'outcome_unknown'],
  reconcile: ['happened', 'did_not_happen', 'still_unknown'],
};

const nth = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** The call that an intent comes to where the work stands now. Counts the artifact that it makes. */
export function callFor(model: DeskModel, intent: Intent, work: ModelWork): Call {
  const action = intent.action ?? nth(APT[work.status] ?? ACTIONS, intent.pick);
  const content = artifactText(intent.result, (model.made += 1));
  return {
    who: intent.who ?? aptFor(action, work, intent.pick),
    work: intent.work,
    action,
    wait: waitFor(intent.wait, work),
    version: action === 'result' && !intent.lacks ? versionFor(intent.version, work) : null,
    artifact:
      action === 'result'
        ? sha256(content)
        : intent.artifact === 'held'
          ? work.artifact
          : intent.artifact === 'other'
            ? sha256('another')
            : null,
    isGood: intent.result === 'good',
    isStored: intent.result !== 'missing',
    choice: nth(CHOICES[action] ?? [''], intent.choice),
    gateAction: gateFor(action, intent, work),
    to: action === 'handoff' ? intent.to : null,
    adopts: work.late.length === 0 ? null : intent.choice % work.late.length,
    lacks: intent.lacks,
  };
}

/** The bytes of the n-th artifact; a bad one does not meet the kind's schema. */
export function artifactText(result: Intent['result'], number: number): string {
  return JSON.stringify(result === 'bad' ? { wrong: number } : { right: number });
}

function waitFor(asked: Intent['wait'], work: ModelWork): Call['wait'] {
  if (asked === 'none') return null;
  if (asked === 'unheard') return 'unheard';
  const back = asked === 'current' ? 0 : asked;
  const newest = work.status === 'DONE' || work.status === 'CANCELLED' ? work.wait - 1 : work.wait;
  return Math.max(0, newest - back);
}

function versionFor(asked: Intent['version'], work: ModelWork): number | null {
  if (asked === 'none') return null;
  if (asked === 'current') return work.version;
  return asked === 'older' ? Math.max(1, work.version - 1) : work.version + 1;
}

function gateFor(action: string, intent: Intent, work: ModelWork): string {
  if (action === 'escalate') return intent.gate === 'asked' ? 'pay' : 'publish';
  return intent.gate === 'asked' ? (work.gate?.action ?? 'pay') : 'something else';
}

function aptFor(action: string, work: ModelWork, pick: number): string {
  switch (action) {
    case 'claim':
      if (work.status === 'VP_REVIEW') return 'rita';
      return work.status === 'OWNER_GATE' ? 'owner' : nth(['ann', 'bob'], pick);
    case 'result':
    case 'release':
      return work.lease?.holder ?? 'ann';
    case 'review':
      return 'rita';
    case 'decide':
      return 'owner';
    default:
      return 'otto';
  }
}
