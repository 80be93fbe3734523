import { defineKind } from '../src/index.js';
import type { Signalbox } from '../src/index.js';

/** Works of one stage, as many as a filled store is to have of it. */
export interface Life {
  readonly name: string;
  /** Share of the works that have ended, or of those that are open. */
  readonly of: 'ended' | 'open';
  readonly share: number;
  /** Lives one work up to its stage, through the doors. Gives its workId. */
  live(): Promise<string>;
}

const DAY_ms = 24 * 3_600_000;

/** As `generic`, with leases that outlast a benchmark and rework without end. */
export const BENCH_KIND = defineKind({
  name: 'bench',
  skips: ['OBSERVING', 'ASSET_GATE'],
  completion: 'complete',
  lease: { lease_ms: 7 * DAY_ms },
  roundLimit: 1_000,
});

export const PEOPLE = [
  { name: 'scout', roles: ['scout'] },
  { name: 'ann', roles: ['worker'] },
  { name: 'bob', roles: ['worker'] },
  { name: 'rita', roles: ['reviewer'] },
  { name: 'otto', roles: ['operator'] },
] as const;

/** The lives that a filled store is made of. `pass` moves the desk's clock on, in ms. */
export async function livesOf(box: Signalbox, pass: (by_ms: number) => void): Promise<readonly Life[]> {
  const owner = box.as('owner');
  for (const person of PEOPLE) await owner.putPrincipal(person);
  const [ann, rita, otto, scout] = [box.as('ann'), box.as('rita'), box.as('otto'), box.as('scout')];
  const { sha256 } = await ann.putArtifact('{"done":true}', 'application/json');
  const asIs = (work: { wait: { interruptId: string } | null }): string => work.wait?.interruptId ?? '';

  const register = async (workId: string, more: object = {}): Promise<string> => {
    pass(60_000);
    await otto.register({ kind: 'bench', workId, input: { text: 'x'.repeat(200) }, ...more });
    return workId;
  };
  const ready = async (workId: string, more: object = {}): Promise<string> => {
    await register(workId, more);
    pass(60_000);
    await otto.promote(workId, { reason: 'it is work' });
    return workId;
  };
  const held = async (workId: string, more: object = {}): Promise<string> => {
    await ready(workId, more);
    pass(60_000);
    await ann.claim(workId, {});
    return workId;
  };
  const judged = async (workId: string): Promise<string> => {
    await held(workId);
    pass(60_000);
    const interruptId = asIs(await ann.show(workId));
    await ann.submit(workId, { interruptId, inputVersion: 1, artifact: { sha256 } });
    return workId;
  };
  const verdict = async (workId: string, word: 'PASS' | 'REWORK' | 'ESCALATE'): Promise<string> => {
    await judged(workId);
    pass(60_000);
    const findings = word === 'PASS' ? {} : { findings: ['not yet'] };
    const answer = {
      interruptId: asIs(await rita.show(workId)),
      artifactSha256: sha256,
      evidenceRef: 'log:1',
    };
    await rita.review(workId, { ...answer, verdict: word, ...findings });
    return workId;
  };
  const done = async (workId: string): Promise<string> => {
    await verdict(workId, 'PASS');
    pass(60_000);
    const about = { interruptId: asIs(await ann.show(workId)), artifactSha256: sha256 };
    await ann.complete(workId, { ...about, outcome: 'merged', externalId: 'ext-1', evidenceRef: 'log:2' });
    return workId;
  };
  const moved = async (workId: string, verb: 'cancel' | 'hold' | 'block'): Promise<string> => {
    await (verb === 'cancel' ? register : ready)(workId);
    pass(60_000);
    await otto[verb](workId, { interruptId: asIs(await otto.show(workId)), reason: 'as it is' });
    return workId;
  };
  const raised = async (exceptionId: string, more: object = {}): Promise<string> => {
    pass(60_000);
    const { work } = await scout.recordException({
      exceptionId,
      origin: { system: 'ordering', runId: 'run-1' },
      classification: 'price-mismatch',
      impact: 'high',
      occurredAt: new Date(box.desk.now_ms()).toISOString(),
      evidence: [{ label: 'quote', body: { price: 17 } }],
      ...more,
    });
    return work.workId;
  };
  const heldCase = async (id: string): Promise<string> => {
    const workId = await raised(id, { classification: 'delivery-late' });
    pass(60_000);
    await ann.claim(workId, {});
    return workId;
  };
  const decided = async (id: string): Promise<string> => {
    const workId = await heldCase(id);
    pass(60_000);
    await ann.decideCase(workId, {
      interruptId: asIs(await ann.show(workId)),
      inputVersion: 1,
      decision: 'order',
      reason: 'so',
    });
    return workId;
  };
  const asking = async (id: string): Promise<string> => {
    const workId = await heldCase(id);
    pass(60_000);
    const until = new Date(box.desk.now_ms() + 30 * DAY_ms).toISOString();
    await ann.requestInfo(workId, {
      interruptId: asIs(await ann.show(workId)),
      who: 'kim',
      what: 'which?',
      until,
    });
    return workId;
  };
  const soon = () => ({ dueAt: new Date(box.desk.now_ms() + 9 * DAY_ms).toISOString() });

  return [
    { name: 'done', of: 'ended', share: 0.35, live: () => done('life-done') },
    { name: 'cancelled', of: 'ended', share: 0.65, live: () => moved('life-cancelled', 'cancel') },
    { name: 'discovered', of: 'open', share: 0.2, live: () => register('life-discovered') },
    { name: 'ready', of: 'open', share: 0.2, live: () => ready('life-ready') },
    { name: 'ready with a deadline', of: 'open', share: 0.1, live: () => ready('life-ready-due', soon()) },
    { name: 'held', of: 'open', share: 0.1, live: () => held('life-held') },
    { name: 'to be judged', of: 'open', share: 0.1, live: () => judged('life-judged') },
    { name: 'in rework', of: 'open', share: 0.03, live: () => verdict('life-rework', 'REWORK') },
    { name: 'at the gate', of: 'open', share: 0.03, live: () => verdict('life-gate', 'ESCALATE') },
    { name: 'to be merged', of: 'open', share: 0.03, live: () => verdict('life-merge', 'PASS') },
    { name: 'on hold', of: 'open', share: 0.02, live: () => moved('life-hold', 'hold') },
    { name: 'blocked', of: 'open', share: 0.02, live: () => moved('life-blocked', 'block') },
    { name: 'case', of: 'open', share: 0.1, live: () => raised('life-case') },
    {
      name: 'case with a deadline',
      of: 'open',
      share: 0.04,
      live: () => raised('life-case-due', { ...soon(), impact: 'critical', urgency: 'low' }),
    },
    { name: 'case held', of: 'open', share: 0.01, live: () => heldCase('life-case-held') },
    { name: 'case decided', of: 'open', share: 0.01, live: () => decided('life-case-decided') },
    { name: 'case asking', of: 'open', share: 0.01, live: () => asking('life-case-asking') },
  ];
}
