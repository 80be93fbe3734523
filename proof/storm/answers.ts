import type { DoorLike } from '../../src/client.js';
import type { Status } from '../../src/core/work.js';
import type { WorkView } from '../../src/operations/views.js';
import type { Keyed } from './caller.js';

/** What an answer to a wait gives back. */
export interface Answered {
  readonly receipt: { readonly receiptId: string };
  readonly work: WorkView;
}

/** An answer to the wait of a work, by whom it is given, and how it is sent. */
export interface Answer {
  readonly by: 'me' | 'operator' | 'owner';
  readonly verb: string;
  readonly send: (door: DoorLike, keyed: Keyed) => Promise<Answered>;
}

/** True with the given probability. */
export type Chance = (of: number) => boolean;

interface Waiting {
  readonly id: string;
  readonly work: WorkView;
  /** Names the wait. */
  readonly at: { readonly interruptId: string };
  /** Names the wait and the artifact that is judged. */
  readonly on: { readonly interruptId: string; readonly artifactSha256: string | null };
}

const evidenceRef = 'log:2';

/** What the storm answers where a work waits for somebody: mostly the way onward, now and then another one. */
const ANSWERS: Partial<Record<Status, (waiting: Waiting, chance: Chance) => Answer>> = {
  DISCOVERED: ({ id, at }) => ({
    by: 'operator',
    verb: 'promote',
    send: (door, keyed) => door.promote(id, { ...at, reason: 'go' }, keyed),
  }),
  VP_REVIEW({ id, on }, chance) {
    const verdict = chance(0.75) ? 'PASS' : chance(0.8) ? 'REWORK' : 'ESCALATE';
    const body = { ...on, verdict, evidenceRef, findings: verdict === 'PASS' ? [] : ['look again'] };
    return { by: 'me', verb: 'review', send: (door, keyed) => door.review(id, body, keyed) };
  },
  OWNER_GATE({ id, work, on }, chance) {
    const decision = chance(0.7) ? 'approve' : chance(0.5) ? 'rework' : 'hold';
    const body = { ...on, action: work.gate?.action, decision, reason: 'storm' };
    return { by: 'owner', verb: 'decide', send: (door, keyed) => door.decide(id, body, keyed) };
  },
  MERGE_READY({ id, on }, chance) {
    const outcome = chance(0.9) ? 'merged' : chance(0.5) ? 'conflict' : 'unknown';
    const body = { ...on, outcome, externalId: `ext-${id}`, evidenceRef };
    return { by: 'operator', verb: 'complete', send: (door, keyed) => door.complete(id, body, keyed) };
  },
  OBSERVING({ id, at }, chance) {
    const body = { ...at, outcome: chance(0.95) ? 'ok' : 'regressed', evidenceRef };
    return { by: 'operator', verb: 'observe', send: (door, keyed) => door.observe(id, body, keyed) };
  },
  ASSET_GATE({ id, at }) {
    const body = { ...at, assetRef: `asset:${id}` };
    return { by: 'operator', verb: 'asset', send: (door, keyed) => door.asset(id, body, keyed) };
  },
  OUTCOME_UNKNOWN({ id, at }, chance) {
    const finding = chance(0.5) ? 'happened' : 'did_not_happen';
    const body = { ...at, finding, externalId: `ext-${id}`, evidenceRef };
    return { by: 'operator', verb: 'reconcile', send: (door, keyed) => door.reconcile(id, body, keyed) };
  },
  HOLD: ({ id, at }) => ({
    by: 'operator',
    verb: 'resume',
    send: (door, keyed) => door.resume(id, { ...at, reason: 'go' }, keyed),
  }),
};

/** The statuses in which somebody is waited for; a work in somebody's hands is looked after apart. */
export const WAITING = [...(Object.keys(ANSWERS) as Status[]), 'IN_PROGRESS' as const];

/** What to answer for a work; undefined where it waits for nobody, or for its holder. */
export function answerFor(work: WorkView, chance: Chance): Answer | undefined {
  if (!work.wait) return undefined;
  const at = { interruptId: work.wait.interruptId };
  const on = { ...at, artifactSha256: work.artifactSha256 };
  return ANSWERS[work.status]?.({ id: work.workId, work, at, on }, chance);
}
