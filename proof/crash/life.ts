import { defineKind } from '../../src/index.js';
import type { Door } from '../../src/operations/door.js';
import type { WorkView } from '../../src/operations/views.js';

/** Every stage, a gate, effects, and a second round. */
export const whole = defineKind({
  name: 'whole',
  completion: 'publish',
  ownerOnly: ['publish'],
  effects: ['order'],
});

export const PEOPLE = [
  { name: 'ai', roles: ['scout'] },
  { name: 'ann', roles: ['worker'] },
  { name: 'bob', roles: ['worker'] },
  { name: 'rita', roles: ['reviewer'] },
  { name: 'otto', roles: ['operator'] },
] as const;

export const WORK = 'life';
export const RESULTS = ['{"draft":1}', '{"final":2}'] as const;
export const PARTIAL = '{"half":1}';

/** What a step may look at before it says what it sends. */
export interface Sight {
  readonly work: WorkView | null;
  readonly case: WorkView | null;
  /** Artifacts by their content. */
  readonly stored: Readonly<Record<string, string>>;
}

/** One call of a life. What it sends is fixed when it is first sent, and sent word for word again after a crash. */
export interface LifeStep {
  readonly name: string;
  readonly who: string;
  readonly verb: keyof Door;
  args(sight: Sight): readonly unknown[];
  /** Whether it takes an idempotency key; else it is by itself the same when it comes again. */
  readonly keyed: boolean;
}

const step = (
  name: string,
  who: string,
  verb: keyof Door,
  args: (sight: Sight) => readonly unknown[],
  keyed = true,
): LifeStep => ({ name, who, verb, args, keyed });

const waitOf = (work: WorkView | null): string => work?.wait?.interruptId ?? '';
const put = (content: string, who = 'ann'): LifeStep =>
  step(`put ${content}`, who, 'putArtifact', () => [content, 'application/json'], false);
const onWork = (
  name: string,
  who: string,
  verb: keyof Door,
  more: (sight: Sight) => object = () => ({}),
  keyed = true,
): LifeStep =>
  step(name, who, verb, (sight) => [WORK, { interruptId: waitOf(sight.work), ...more(sight) }], keyed);

const result = (content: string) => (sight: Sight) => ({
  inputVersion: sight.work?.inputVersion,
  artifact: { sha256: sight.stored[content] },
});
const about = (sight: Sight) => ({ artifactSha256: sight.work?.artifactSha256, evidenceRef: 'log:1' });

/** From registration to DONE through every stage, then an exception from its arrival to its decision. */
export const LIFE: readonly LifeStep[] = [
  step('register', 'ai', 'register', () => [{ kind: 'whole', workId: WORK, input: { of: 'life' } }]),
  onWork('promote', 'otto', 'promote', () => ({ reason: 'go' })),
  onWork('claim', 'ann', 'claim'),
  put(PARTIAL),
  onWork(
    'partial',
    'ann',
    'savePartial',
    ({ stored }) => ({ artifactSha256: stored[PARTIAL], items: ['a'] }),
    false,
  ),
  onWork(
    'intend',
    'ann',
    'intendEffect',
    () => ({ operationId: 'order-1', action: 'order', target: 'shop' }),
    false,
  ),
  step(
    'settle',
    'ann',
    'settleEffect',
    () => [WORK, 'order-1', { outcome: 'confirmed', externalId: 'o-1', evidenceRef: 'log:order' }],
    false,
  ),
  put(RESULTS[0]),
  onWork('submit', 'ann', 'submit', result(RESULTS[0])),
  onWork('rework', 'rita', 'review', (sight) => ({
    ...about(sight),
    verdict: 'REWORK',
    findings: ['not yet'],
  })),
  onWork('claim again', 'bob', 'claim'),
  put(RESULTS[1], 'bob'),
  onWork('submit again', 'bob', 'submit', result(RESULTS[1])),
  onWork('pass', 'rita', 'review', (sight) => ({ ...about(sight), verdict: 'PASS' })),
  onWork('approve', 'owner', 'decide', ({ work }) => ({
    artifactSha256: work?.artifactSha256,
    action: 'publish',
    decision: 'approve',
    reason: 'good',
  })),
  onWork('complete', 'otto', 'complete', (sight) => ({
    ...about(sight),
    outcome: 'merged',
    externalId: 'p-1',
  })),
  onWork('observe', 'otto', 'observe', () => ({ outcome: 'ok', evidenceRef: 'log:2' })),
  onWork('asset', 'otto', 'asset', () => ({ assetRef: 'wiki:1' })),
  step(
    'exception',
    'ai',
    'recordException',
    () => [
      {
        exceptionId: 'e-1',
        origin: { system: 'ordering', runId: 'run-1' },
        classification: 'price-mismatch',
        impact: 'high',
        urgency: 'medium',
        occurredAt: '2026-03-02T08:59:00Z',
        evidence: [{ label: 'quote', body: { price: 17 } }],
        doneSoFar: {},
      },
    ],
    false,
  ),
  step('claim the case', 'ann', 'claim', (sight) => [
    sight.case?.workId,
    { interruptId: waitOf(sight.case) },
  ]),
  step('decide the case', 'ann', 'decideCase', (sight) => [
    sight.case?.workId,
    {
      interruptId: waitOf(sight.case),
      inputVersion: sight.case?.inputVersion,
      decision: 'order',
      reason: 'the price is right',
      result: { quantity: 3 },
    },
  ]),
];
