import type { Call } from './doors.js';
import {
  UNKNOWN_ID,
  UNKNOWN_SHA256,
  MINUTE_MS,
  as,
  owner,
  wait,
  ready,
  held,
  result,
  inReview,
  passed,
  correct,
  type Scene,
} from './scene.js';

/** One row of the table: how it comes to the call, and the code that every door must refuse it with. */
export interface RefusedCall {
  readonly code: string;
  readonly because: string;
  readonly set: (scene: Scene, workId: string) => Promise<Omit<Call, 'workId'>>;
}

/** THE table. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  {
    code: 'FORBIDDEN',
    because: 'a viewer claims',
    set: async (s, id) => ({ who: 'vic', verb: 'claim', body: { interruptId: await ready(s, id) } }),
  },
  {
    code: 'ALREADY_CLAIMED',
    because: 'somebody else holds it',
    set: async (s, id) => ({ who: 'bob', verb: 'claim', body: { interruptId: await held(s, id) } }),
  },
  {
    code: 'BLOCKED_BY',
    because: 'other work must be done first',
    set: async (s, id) => {
      await ready(s, `${id}-first`);
      return { who: 'bob', verb: 'claim', body: { interruptId: await ready(s, id, [`${id}-first`]) } };
    },
  },
  {
    code: 'ACTION_NOT_ALLOWED',
    because: 'nobody has promoted it',
    set: async (s, id) => {
      await owner(s).register({ workId: id, input: 1 });
      return { who: 'bob', verb: 'claim', body: { interruptId: await wait(s, id) } };
    },
  },
  {
    code: 'STALE_INTERRUPT',
    because: 'a claim names a wait that never was',
    set: async (s, id) => {
      await ready(s, id);
      return { who: 'bob', verb: 'claim', body: { interruptId: UNKNOWN_ID } };
    },
  },
  {
    code: 'NOT_FOUND',
    because: 'there is no such work to read',
    set: () => Promise.resolve({ who: 'ann', verb: 'show', body: {} }),
  },
  {
    code: 'ALREADY_DECIDED',
    because: 'the result of this wait is in',
    set: async (s, id) => {
      const { first } = await inReview(s, id);
      return { who: 'ann', verb: 'submit', body: await result(s, first) };
    },
  },
  {
    code: 'STALE_INTERRUPT',
    because: 'a result names a wait that never was',
    set: async (s, id) => {
      await held(s, id);
      return { who: 'ann', verb: 'submit', body: await result(s, UNKNOWN_ID) };
    },
  },
  {
    code: 'INPUT_CHANGED',
    because: 'the input was corrected while it was worked on',
    set: async (s, id) => {
      const first = await held(s, id);
      await correct(s, id);
      return { who: 'ann', verb: 'submit', body: await result(s, first) };
    },
  },
  {
    code: 'INPUT_CHANGED',
    because: 'the result is for an older version',
    set: async (s, id) => {
      await held(s, id);
      await correct(s, id);
      return { who: 'ann', verb: 'submit', body: await result(s, await wait(s, id)) };
    },
  },
  {
    code: 'ARTIFACT_UNKNOWN',
    because: 'no such bytes are stored',
    set: async (s, id) => ({
      who: 'ann',
      verb: 'submit',
      body: { interruptId: await held(s, id), inputVersion: 1, artifact: { sha256: UNKNOWN_SHA256 } },
    }),
  },
  {
    code: 'NOT_HOLDER',
    because: 'another brings the result',
    set: async (s, id) => ({ who: 'bob', verb: 'submit', body: await result(s, await held(s, id), 'bob') }),
  },
  {
    code: 'FORBIDDEN',
    because: 'a reviewer brings a result',
    set: async (s, id) => ({ who: 'rita', verb: 'submit', body: await result(s, await held(s, id), 'rita') }),
  },
  {
    code: 'LEASE_EXPIRED',
    because: 'the result comes after the lease',
    set: async (s, id) => {
      const body = await result(s, await held(s, id));
      s.later(16 * MINUTE_MS);
      return { who: 'ann', verb: 'submit', body };
    },
  },
  {
    code: 'ACTION_NOT_ALLOWED',
    because: 'nothing was claimed',
    set: async (s, id) => ({ who: 'ann', verb: 'submit', body: await result(s, await ready(s, id)) }),
  },
  {
    code: 'INVALID',
    because: 'the hash is none',
    set: async (s, id) => ({
      who: 'ann',
      verb: 'submit',
      body: { interruptId: await held(s, id), inputVersion: 1, artifact: { sha256: 'none' } },
    }),
  },
  {
    code: 'NOT_HOLDER',
    because: 'another renews',
    set: async (s, id) => ({ who: 'bob', verb: 'renew', body: { interruptId: await held(s, id) } }),
  },
  {
    code: 'STALE_INTERRUPT',
    because: 'a renewal names a wait that never was',
    set: async (s, id) => {
      await held(s, id);
      return { who: 'ann', verb: 'renew', body: { interruptId: UNKNOWN_ID } };
    },
  },
  {
    code: 'LEASE_EXPIRED',
    because: 'the renewal comes after the lease',
    set: async (s, id) => {
      const interruptId = await held(s, id);
      s.later(16 * MINUTE_MS);
      return { who: 'ann', verb: 'renew', body: { interruptId } };
    },
  },
  {
    code: 'NO_PROGRESS',
    because: 'there were heartbeats and nothing else',
    set: async (s, id) => {
      const interruptId = await held(s, id);
      for (let count = 0; count < 3; count += 1) {
        s.later(10 * MINUTE_MS);
        await as(s, 'ann').renew(id, { interruptId });
      }
      s.later(MINUTE_MS);
      return { who: 'ann', verb: 'renew', body: { interruptId } };
    },
  },
  {
    code: 'ARTIFACT_MISMATCH',
    because: 'a verdict is on other bytes',
    set: async (s, id) => ({
      who: 'rita',
      verb: 'review',
      body: { ...(await inReview(s, id)).verdict, artifactSha256: UNKNOWN_SHA256, verdict: 'PASS' },
    }),
  },
  {
    code: 'SELF_APPROVAL',
    because: 'the author reviews, under another name',
    set: async (s, id) => ({
      who: 'ann-reviews',
      verb: 'review',
      body: { ...(await inReview(s, id)).verdict, verdict: 'PASS' },
    }),
  },
  {
    code: 'FORBIDDEN',
    because: 'a worker reviews',
    set: async (s, id) => ({
      who: 'bob',
      verb: 'review',
      body: { ...(await inReview(s, id)).verdict, verdict: 'PASS' },
    }),
  },
  {
    code: 'STALE_INTERRUPT',
    because: 'a verdict is for the wait of the result',
    set: async (s, id) => {
      const { first, verdict } = await inReview(s, id);
      return { who: 'rita', verb: 'review', body: { ...verdict, interruptId: first, verdict: 'PASS' } };
    },
  },
  {
    code: 'INVALID',
    because: 'REWORK says nothing of what is to be done',
    set: async (s, id) => ({
      who: 'rita',
      verb: 'review',
      body: { ...(await inReview(s, id)).verdict, verdict: 'REWORK' },
    }),
  },
  {
    code: 'OWNER_ONLY',
    because: 'an operator decides at the gate',
    set: async (s, id) => {
      const { verdict } = await inReview(s, id);
      const { work } = await as(s, 'rita').review(id, {
        ...verdict,
        verdict: 'ESCALATE',
        findings: ['who pays?'],
      });
      const body = {
        interruptId: work.wait?.interruptId,
        artifactSha256: work.artifactSha256,
        action: work.gate?.action,
        decision: 'approve',
        reason: 'fine',
      };
      return { who: 'otto', verb: 'decide', body };
    },
  },
  {
    code: 'ACTION_NOT_ALLOWED',
    because: 'there is nothing to complete yet',
    set: async (s, id) => ({
      who: 'otto',
      verb: 'complete',
      body: { ...(await inReview(s, id)).verdict, outcome: 'conflict' },
    }),
  },
  {
    code: 'INVALID',
    because: 'a completion says not where',
    set: async (s, id) => {
      const { externalId, ...body } = await passed(s, id);
      void externalId;
      return { who: 'otto', verb: 'complete', body };
    },
  },
  {
    code: 'ARTIFACT_MISMATCH',
    because: 'other bytes were merged',
    set: async (s, id) => ({
      who: 'otto',
      verb: 'complete',
      body: { ...(await passed(s, id)), artifactSha256: UNKNOWN_SHA256 },
    }),
  },
  {
    code: 'CONTENT_CHANGED',
    because: 'known work comes with other content',
    set: async (s, id) => {
      await ready(s, id);
      return { who: 'ann', verb: 'register', body: { input: { n: 2 } } };
    },
  },
  {
    code: 'NOT_HOLDER',
    because: 'another gives it back',
    set: async (s, id) => ({
      who: 'bob',
      verb: 'release',
      body: { interruptId: await held(s, id), reason: 'not mine' },
    }),
  },
  {
    code: 'STALE_INTERRUPT',
    because: 'a handoff names a wait that never was',
    set: async (s, id) => {
      await held(s, id);
      return { who: 'otto', verb: 'handoff', body: { interruptId: UNKNOWN_ID, reason: 'to bob', to: 'bob' } };
    },
  },
];
