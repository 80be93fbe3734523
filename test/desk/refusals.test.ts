import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../src/index.js';
import { findWork } from '../../src/ledger/reads.js';
import type { WorkRow } from '../../src/ledger/rows.js';
import {
  completionOf,
  deskBox,
  faults,
  handIn,
  inProgress,
  inReview,
  ready,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';

let desk: DeskBox;
let clock_ms: number;

beforeAll(async () => {
  clock_ms = Date.now();
  desk = await deskBox({ recover: false, now_ms: () => clock_ms });
});
afterAll(() => desk.close());

/** The row without what a refusal may touch: its history. */
async function standing(
  workId: string,
): Promise<Omit<WorkRow, 'history_seq' | 'history_hash' | 'updated_at'>> {
  const row = await desk.box.desk.store.read(() => findWork('default', workId));
  if (!row) throw new Error(`no work ${workId}`);
  const { history_seq, history_hash, updated_at, ...rest } = row;
  void [history_seq, history_hash, updated_at];
  return rest;
}

const refusalOf = (asked: Promise<unknown>): Promise<Refusal> =>
  asked.then(
    () => Promise.reject(new Error('this should have been refused')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Refusal);
      return error as Refusal;
    },
  );

/** Turned away with this code; nothing moved; one more event and one more receipt tell of it. */
async function turnedAway(workId: string, code: string, ask: () => Promise<unknown>): Promise<Refusal> {
  const before = await standing(workId);
  const events = await desk.owner.history(workId);
  const receipts = await desk.owner.receipts(workId);
  const refusal = await refusalOf(ask());
  expect(refusal.code).toBe(code);
  expect(await standing(workId)).toEqual(before);
  const told = (await desk.owner.history(workId)).slice(events.length);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ data: { code }, changes: {} });
  const kept = (await desk.owner.receipts(workId)).slice(receipts.length);
  expect(kept).toMatchObject([{ code, applied: false }]);
  expect(refusal.details.current).toMatchObject({ status: before.status, interruptId: before.interrupt_id });
  return refusal;
}

const lastReceipt = async (workId: string) => (await desk.owner.receipts(workId)).at(-1);

describe('a result is turned away, and kept as reference,', () => {
  it('for an interrupt ID that is past', async () => {
    const first = await inProgress(desk, 'stale');
    await desk.owner.hold('stale', { interruptId: waitOf(first), reason: 'wait' });
    const held = await desk.owner.show('stale');
    await desk.owner.resume('stale', { interruptId: waitOf(held), reason: 'on' });
    const sha256 = await stored(desk, '{"late":1}');
    const body = { interruptId: waitOf(first), inputVersion: 1, artifact: { sha256 } };
    await turnedAway('stale', 'STALE_INTERRUPT', () => desk.as('ann').submit('stale', body));
    expect(await lastReceipt('stale')).toMatchObject({ outcome: 'reference', artifactSha256: sha256 });
  });

  it('for an input version that was corrected, told with what changed', async () => {
    const work = await inProgress(desk, 'corrected');
    const sha256 = await stored(desk, '{"late":2}');
    await desk.owner.register({ workId: 'corrected', input: { total: 5 }, correction: { reason: 'typo' } });
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    const refusal = await turnedAway('corrected', 'INPUT_CHANGED', () =>
      desk.as('ann').submit('corrected', body),
    );
    expect(refusal.details.changes).toEqual([{ path: '/total', after: 5 }]);
    expect(await lastReceipt('corrected')).toMatchObject({ outcome: 'reference', inputVersion: 1 });
  });

  it('for an older input version on the current wait', async () => {
    await inProgress(desk, 'corrected-again');
    await desk.owner.register({
      workId: 'corrected-again',
      input: { total: 6 },
      correction: { reason: 'typo' },
    });
    const now = await desk.owner.show('corrected-again');
    const sha256 = await stored(desk, '{"late":3}');
    const body = { interruptId: now.wait?.interruptId, inputVersion: 1, artifact: { sha256 } };
    const refusal = await turnedAway('corrected-again', 'INPUT_CHANGED', () =>
      desk.as('ann').submit('corrected-again', body),
    );
    expect(refusal.details.current?.inputVersion).toBe(2);
  });

  it('from somebody who does not hold the work', async () => {
    const work = await inProgress(desk, 'not-mine', 'ann');
    const sha256 = await stored(desk, '{"of":"bob"}', 'bob');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    const refusal = await turnedAway('not-mine', 'NOT_HOLDER', () => desk.as('bob').submit('not-mine', body));
    expect(refusal.details.holder).toBe('ann');
    expect(await lastReceipt('not-mine')).toMatchObject({ outcome: 'reference', principal: 'bob' });
  });

  it('after the lease has run out', async () => {
    const work = await inProgress(desk, 'too-late');
    const sha256 = await stored(desk, '{"late":4}');
    clock_ms = Date.parse(work.lease?.expiresAt ?? '');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
    await turnedAway('too-late', 'LEASE_EXPIRED', () => desk.as('ann').submit('too-late', body));
    expect(await lastReceipt('too-late')).toMatchObject({ outcome: 'reference' });
  });

  it('after DONE', async () => {
    const work = await inProgress(desk, 'done');
    const reviewed = await handIn(desk, work, '{"r":1}');
    const passed = (await desk.as('rita').review('done', verdictOn(reviewed, 'PASS'))).work;
    expect((await desk.owner.complete('done', completionOf(passed))).work.status).toBe('DONE');
    const sha256 = await stored(desk, '{"late":5}');
    const body = { inputVersion: 1, artifact: { sha256 } };
    await turnedAway('done', 'ALREADY_DECIDED', () =>
      desk.as('ann').submit('done', { ...body, interruptId: waitOf(work) }),
    );
    await turnedAway('done', 'ACTION_NOT_ALLOWED', () => desk.as('ann').submit('done', body));
    await turnedAway('done', 'STALE_INTERRUPT', () =>
      desk.as('ann').submit('done', { ...body, interruptId: 'f'.repeat(32) }),
    );
  });
});

describe('turned away, and nothing kept,', () => {
  it('a result whose bytes nobody has stored', async () => {
    const work = await inProgress(desk, 'no-bytes');
    const body = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256: 'e'.repeat(64) } };
    await turnedAway('no-bytes', 'ARTIFACT_UNKNOWN', () => desk.as('ann').submit('no-bytes', body));
    expect(await lastReceipt('no-bytes')).toMatchObject({ outcome: 'refused' });
  });

  it('a verdict on another artifact than the checkpoint holds', async () => {
    const work = await inReview(desk, 'other-bytes');
    const verdict = { ...verdictOn(work, 'PASS'), artifactSha256: await stored(desk, '{"other":1}') };
    const refusal = await turnedAway('other-bytes', 'ARTIFACT_MISMATCH', () =>
      desk.as('rita').review('other-bytes', verdict),
    );
    expect(refusal.details.current?.artifactSha256).toBe(work.artifactSha256);
  });

  it('a PASS without the hash it read, and one without evidence', async () => {
    const work = await inReview(desk, 'no-evidence');
    for (const field of ['artifactSha256', 'evidenceRef'] as const) {
      const verdict: Record<string, unknown> = { ...verdictOn(work, 'PASS') };
      delete verdict[field];
      const refusal = await turnedAway('no-evidence', 'INVALID', () =>
        desk.as('rita').review('no-evidence', verdict),
      );
      expect(refusal.details.errors).toEqual([{ path: `/${field}`, message: 'is required' }]);
    }
  });

  it('a verdict by the author under any name: its own, a second principal of its actor, on behalf of a colleague', async () => {
    await desk.owner.putPrincipal({ name: 'ann', roles: ['worker', 'reviewer', 'operator'] });
    const work = await inReview(desk, 'own');
    const verdict = verdictOn(work, 'PASS');
    await turnedAway('own', 'SELF_APPROVAL', () => desk.as('ann').review('own', verdict));
    await turnedAway('own', 'SELF_APPROVAL', () => desk.as('ann-reviews').review('own', verdict));
    await turnedAway('own', 'SELF_APPROVAL', () =>
      desk.box
        .as('ann', { onBehalfOf: { principal: 'rita', reason: 'she asked me to' } })
        .review('own', verdict),
    );
    await turnedAway('own', 'SELF_APPROVAL', () =>
      desk.box
        .as('otto', { onBehalfOf: { principal: 'ann-reviews', reason: 'she asked me to' } })
        .review('own', verdict),
    );
    await desk.owner.putPrincipal({ name: 'ann', roles: ['worker'] });
    expect((await desk.as('rita').review('own', verdict)).work.status).toBe('MERGE_READY');
  });

  it('a decision at the gate by anybody but an owner', async () => {
    const work = await inReview(desk, 'gated');
    const gated = (await desk.as('rita').review('gated', verdictOn(work, 'ESCALATE'))).work;
    const decision = {
      interruptId: waitOf(gated),
      artifactSha256: gated.artifactSha256,
      action: gated.gate?.action,
      decision: 'approve',
      reason: 'why not',
    };
    await turnedAway('gated', 'OWNER_ONLY', () => desk.as('rita').decide('gated', decision));
    await turnedAway('gated', 'OWNER_ONLY', () => desk.as('otto').decide('gated', decision));
    await turnedAway('gated', 'SELF_APPROVAL', () => desk.as('ann').decide('gated', decision));
    await turnedAway('gated', 'FORBIDDEN', () => desk.as('vic').decide('gated', decision));
    expect((await desk.owner.show('gated')).status).toBe('OWNER_GATE');
  });

  it('a claim of work that others must do first', async () => {
    await ready(desk, 'before');
    await desk.owner.register({ workId: 'after', input: {}, blockedBy: ['before', 'nowhere'] });
    await desk.owner.promote('after', { reason: 'go' });
    const refusal = await turnedAway('after', 'BLOCKED_BY', () => desk.as('ann').claim('after', {}));
    expect(refusal.details.blockedBy).toEqual(['before', 'nowhere']);
  });
});

describe('what cannot be put on record', () => {
  it('is answered all the same: unknown work, unknown people, another tenant', async () => {
    const body = { interruptId: 'x', inputVersion: 1, artifact: { sha256: 'e'.repeat(64) } };
    expect((await refusalOf(desk.as('ann').submit('nowhere', body))).code).toBe('NOT_FOUND');
    expect((await refusalOf(desk.as('nobody').submit('stale', body))).code).toBe('UNAUTHENTICATED');
    await desk.owner.putPrincipal({ name: 'chief', roles: ['owner'], tenant: 'elsewhere' });
    const elsewhere = desk.box.as('chief', { tenant: 'elsewhere' });
    for (const ask of [
      () => elsewhere.show('stale'),
      () => elsewhere.submit('stale', body),
      () => elsewhere.claim('stale', {}),
    ])
      expect((await refusalOf(ask())).code).toBe('NOT_FOUND');
    expect((await elsewhere.list()).total).toBe(0);
  });

  it('a key stands for one request: sent again it is replayed, with other content it is refused', async () => {
    const work = await inProgress(desk, 'keyed');
    const body = {
      interruptId: waitOf(work),
      inputVersion: 1,
      artifact: { sha256: await stored(desk, '{"keyed":1}') },
    };
    const first = await desk.as('ann').submit('keyed', body, { idempotencyKey: 'k1' });
    const events = (await desk.owner.history('keyed')).length;
    const again = await desk.as('ann').submit('keyed', body, { idempotencyKey: 'k1' });
    expect(again).toMatchObject({ replayed: true, receipt: { receiptId: first.receipt.receiptId } });
    const other = { ...body, artifact: { sha256: await stored(desk, '{"keyed":2}') } };
    const refusal = await refusalOf(desk.as('ann').submit('keyed', other, { idempotencyKey: 'k1' }));
    expect(refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await desk.owner.history('keyed')).length).toBe(events);
  });

  it('a key stands for the request of one principal: another one may use the same', async () => {
    await ready(desk, 'keyed-by-ann');
    await ready(desk, 'keyed-by-bob');
    const key = { idempotencyKey: 'claims' };
    const ann = await desk.as('ann').claim('keyed-by-ann', {}, key);
    const bob = await desk.as('bob').claim('keyed-by-bob', {}, key);
    expect([ann.work.holder, bob.work.holder]).toEqual(['ann', 'bob']);
    // Nor is the very same request of somebody else a replay.
    await ready(desk, 'keyed-by-both');
    const both = { idempotencyKey: 'both' };
    await desk.as('ann').claim('keyed-by-both', {}, both);
    const second = await refusalOf(desk.as('bob').claim('keyed-by-both', {}, both));
    expect(second.code).toBe('ALREADY_CLAIMED');
  });
});

it('all of this leaves a ledger that proves itself', async () => {
  expect(await faults(desk)).toEqual([]);
});
