import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal, connect, type DoorLike } from '../../src/client.js';
import { REFUSALS } from '../../src/core/refusals.js';
import { defineKind } from '../../src/index.js';
import { serving, type Serving } from './serving.js';

let here: Serving;
let owner: DoorLike;
let worker: DoorLike;
let other: DoorLike;
let reviewer: DoorLike;
let now_ms = Date.now();
/** Time passes for the desk only when a test says so. */
const later = (ms: number): void => {
  now_ms += ms;
};

const kind = defineKind({
  name: 'errand',
  identity: ['number'],
  skips: ['OBSERVING', 'ASSET_GATE'],
  completion: 'complete',
  effects: [],
});

beforeAll(async () => {
  here = await serving({ kinds: [kind], now_ms: () => now_ms });
  owner = await here.as('owner');
  worker = await here.as('wanda', ['worker', 'reviewer']);
  other = await here.as('otto', ['worker']);
  reviewer = await here.as('rita', ['reviewer']);
});
afterAll(() => here.close());

let count = 0;
async function ready(): Promise<string> {
  const workId = `r-${(count += 1)}`;
  await owner.register({ workId, input: count });
  await owner.promote(workId, { reason: 'for a test' });
  return workId;
}

async function held(): Promise<{ workId: string; interruptId: string }> {
  const workId = await ready();
  const { claim } = await worker.claim(workId, {});
  return { workId, interruptId: claim.interruptId ?? '' };
}

async function submitted(): Promise<{ workId: string; interruptId: string; sha256: string }> {
  const { workId, interruptId } = await held();
  const { sha256 } = await worker.putArtifact(`result of ${workId}`, 'text/plain');
  const { work } = await worker.submit(workId, { interruptId, inputVersion: 1, artifact: { sha256 } });
  return { workId, interruptId: work.wait?.interruptId ?? '', sha256 };
}

/** What a call is refused with, as the client tells it. */
async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await call.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw error;
  return error;
}

const UNKNOWN_SHA256 = '0'.repeat(64);

describe('every refusal arrives over HTTP with its code, its status and what is current', () => {
  it('UNAUTHENTICATED: no token, a wrong one, a malformed header', async () => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { authorization: 'Basic abc' }]) {
      const answer = await here.call('GET', '/v1/works', { token: null, headers });
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
  });

  it('FORBIDDEN: an operation that needs another role', async () => {
    expect(await refusal(other.listTokens())).toMatchObject({ code: 'FORBIDDEN', status: 403 });
  });

  it('NOT_FOUND: an unknown work, artifact, path', async () => {
    expect((await refusal(owner.show('nowhere'))).code).toBe('NOT_FOUND');
    expect((await refusal(owner.getArtifact(UNKNOWN_SHA256))).code).toBe('NOT_FOUND');
    const answer = await here.call('GET', '/v1/nothing');
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('ALREADY_CLAIMED: names the holder and since when', async () => {
    const { workId } = await held();
    const refused = await refusal(other.claim(workId, {}));
    expect(refused.code).toBe('ALREADY_CLAIMED');
    expect(refused.details).toMatchObject({ holder: 'wanda', current: { status: 'IN_PROGRESS' } });
    expect(Date.parse(refused.details.since ?? '')).not.toBeNaN();
  });

  it('STALE_INTERRUPT and ALREADY_DECIDED: an answer to a wait that is over', async () => {
    const { workId, interruptId } = await held();
    const { sha256 } = await worker.putArtifact('a', 'text/plain');
    const answer = { interruptId, inputVersion: 1, artifact: { sha256 } };
    const { receipt } = await worker.submit(workId, answer);
    const again = await refusal(worker.submit(workId, answer));
    expect(again.code).toBe('ALREADY_DECIDED');
    expect(again.details.receiptId).toBe(receipt.receiptId);
    const stale = await refusal(worker.submit(workId, { ...answer, interruptId: 'f'.repeat(32) }));
    expect(stale.code).toBe('STALE_INTERRUPT');
    expect(stale.details.current?.status).toBe('VP_REVIEW');
  });

  it('INPUT_CHANGED: tells what the correction changed', async () => {
    await owner.register({ kind: 'errand', workId: 'errand-1', input: { number: 1, amount: 10 } });
    await owner.promote('errand-1', { reason: 'real' });
    const { claim } = await worker.claim('errand-1', {});
    const { outcome } = await owner.register({
      kind: 'errand',
      input: { number: 1, amount: 20 },
      correction: { reason: 'typo' },
    });
    expect(outcome).toBe('corrected');
    const { sha256 } = await worker.putArtifact('b', 'text/plain');
    const refused = await refusal(
      worker.submit('errand-1', {
        interruptId: claim.interruptId,
        inputVersion: 1,
        artifact: { sha256 },
      }),
    );
    expect(['INPUT_CHANGED', 'STALE_INTERRUPT']).toContain(refused.code);
    const renewal = await refusal(worker.renew('errand-1', { interruptId: claim.interruptId }));
    expect(['INPUT_CHANGED', 'NOT_HOLDER']).toContain(renewal.code);
  });

  it('CONTENT_CHANGED and WORK_ID_CONFLICT: registrations that contradict what is known', async () => {
    await owner.register({ kind: 'errand', workId: 'errand-2', input: { number: 2, amount: 1 } });
    const changed = await refusal(owner.register({ kind: 'errand', input: { number: 2, amount: 2 } }));
    expect(changed.code).toBe('CONTENT_CHANGED');
    expect(changed.details.changes).toEqual([{ path: '/amount', before: 1, after: 2 }]);
    const conflict = await refusal(
      owner.register({ kind: 'errand', workId: 'errand-2', input: { number: 3 } }),
    );
    expect(conflict).toMatchObject({ code: 'WORK_ID_CONFLICT', status: 409 });
  });

  it('ARTIFACT_UNKNOWN and ARTIFACT_MISMATCH: hashes that are not the right ones', async () => {
    const { workId, interruptId } = await held();
    const unknown = await refusal(
      worker.submit(workId, { interruptId, inputVersion: 1, artifact: { sha256: UNKNOWN_SHA256 } }),
    );
    expect(unknown).toMatchObject({ code: 'ARTIFACT_UNKNOWN', status: 422 });
    const review = await submitted();
    const mismatch = await refusal(
      reviewer.review(review.workId, {
        interruptId: review.interruptId,
        artifactSha256: UNKNOWN_SHA256,
        verdict: 'PASS',
        evidenceRef: 'e',
      }),
    );
    expect(mismatch.code).toBe('ARTIFACT_MISMATCH');
    expect(mismatch.details.current?.artifactSha256).toBe(review.sha256);
  });

  it('NOT_HOLDER: somebody else answers for the holder', async () => {
    const { workId, interruptId } = await held();
    const { sha256 } = await other.putArtifact('c', 'text/plain');
    const refused = await refusal(
      other.submit(workId, { interruptId, inputVersion: 1, artifact: { sha256 } }),
    );
    expect(refused.code).toBe('NOT_HOLDER');
    expect((await refusal(other.renew(workId, { interruptId }))).details.holder).toBe('wanda');
  });

  it('NO_PROGRESS and LEASE_EXPIRED: heartbeats without work, and a lease that ran out', async () => {
    const { workId, interruptId } = await held();
    const { lease } = (await owner.kinds()).find((each) => each.kind === 'generic') ?? {};
    if (!lease) throw new Error('the kind generic ships');
    for (let quiet_ms = 0; quiet_ms <= lease.noProgress_ms; quiet_ms += lease.lease_ms / 2) {
      later(lease.lease_ms / 2);
      if (quiet_ms + lease.lease_ms / 2 <= lease.noProgress_ms) await worker.renew(workId, { interruptId });
    }
    expect((await refusal(worker.renew(workId, { interruptId }))).code).toBe('NO_PROGRESS');
    await worker.renew(workId, { interruptId, progress: { done: 1 } });
    later(lease.lease_ms + 1000);
    expect((await refusal(worker.renew(workId, { interruptId }))).code).toBe('LEASE_EXPIRED');
    const { sha256 } = await worker.putArtifact('late', 'text/plain');
    const late = await refusal(worker.submit(workId, { interruptId, inputVersion: 1, artifact: { sha256 } }));
    expect(late.code).toBe('LEASE_EXPIRED');
    expect((await owner.receipts(workId)).at(-1)).toMatchObject({
      outcome: 'reference',
      code: 'LEASE_EXPIRED',
    });
  });

  it('ACTION_NOT_ALLOWED, BLOCKED_BY: not in this status, not before other work', async () => {
    const workId = await ready();
    expect((await refusal(owner.promote(workId, { reason: 'again' }))).code).toBe('ACTION_NOT_ALLOWED');
    await owner.register({ workId: 'after', input: 1, blockedBy: [workId] });
    await owner.promote('after', { reason: 'real' });
    const blocked = await refusal(other.claim('after', {}));
    expect(blocked.code).toBe('BLOCKED_BY');
    expect(blocked.details.blockedBy).toEqual([workId]);
  });

  it('SELF_APPROVAL and OWNER_ONLY: judging what one made, deciding what is the owner’s', async () => {
    const { workId, interruptId, sha256 } = await submitted();
    const verdict = { interruptId, artifactSha256: sha256, evidenceRef: 'e' };
    const own = await refusal(worker.review(workId, { ...verdict, verdict: 'PASS' }));
    expect(own).toMatchObject({ code: 'SELF_APPROVAL', status: 403 });
    const { work } = await reviewer.review(workId, {
      ...verdict,
      verdict: 'ESCALATE',
      findings: ['who pays?'],
    });
    expect(work.status).toBe('OWNER_GATE');
    const operator = await here.as('olga', ['operator']);
    const refused = await refusal(
      operator.decide(workId, {
        interruptId: work.wait?.interruptId ?? '',
        artifactSha256: sha256,
        action: work.gate?.action ?? '',
        decision: 'approve',
        reason: 'looks fine',
      }),
    );
    expect(['OWNER_ONLY', 'FORBIDDEN']).toContain(refused.code);
  });

  it('IDEMPOTENCY_KEY_REUSED: the same key for another request; the same request is replayed with 200', async () => {
    const workId = await ready();
    const options = { idempotencyKey: 'key-1' };
    const first = await worker.claim(workId, {}, options);
    expect(first.replayed).toBe(false);
    const again = await worker.claim(workId, {}, options);
    expect(again).toMatchObject({ replayed: true, receipt: { receiptId: first.receipt.receiptId } });
    const refused = await refusal(worker.claim(await ready(), {}, options));
    expect(refused).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    const answer = await here.call('POST', `/v1/works/${workId}/claim`, {
      token: await here.tokenOf('wanda'),
      json: {},
      headers: { 'Idempotency-Key': 'key-1' },
    });
    expect([answer.status, answer.body.replayed]).toEqual([200, true]);
  });

  it('a keyed claim of the next work gives the same work when it is sent again, one after the other or at once', async () => {
    await ready();
    await ready();
    const fresh = await here.as('fred', ['worker']);
    const first = await fresh.claimNext({}, { idempotencyKey: 'next-1' });
    const again = await fresh.claimNext({}, { idempotencyKey: 'next-1' });
    expect(again?.receipt.receiptId).toBe(first?.receipt.receiptId);
    expect(again?.claim.workId).toBe(first?.claim.workId);
    const atOnce = await Promise.all(
      Array.from({ length: 5 }, () => fresh.claimNext({}, { idempotencyKey: 'next-2' })),
    );
    expect(new Set(atOnce.map((each) => each?.receipt.receiptId)).size).toBe(1);
    expect(atOnce[0]?.claim.workId).not.toBe(first?.claim.workId);
  });

  it('a keyed registration, correction included, is recognised when it is sent again', async () => {
    const body = { kind: 'errand', workId: 'errand-9', input: { number: 9, amount: 1 } };
    await owner.register(body, { idempotencyKey: 'reg-1' });
    const same = await owner.register(body, { idempotencyKey: 'reg-1' });
    expect([same.outcome, same.replayed]).toEqual(['created', true]);
    const correction = { ...body, input: { number: 9, amount: 2 }, correction: { reason: 'typo' } };
    expect((await owner.register(correction, { idempotencyKey: 'reg-2' })).outcome).toBe('corrected');
    const again = await owner.register(correction, { idempotencyKey: 'reg-2' });
    expect(again).toMatchObject({ outcome: 'corrected', replayed: true, work: { inputVersion: 2 } });
  });

  it('every problem says what to do next and links to nothing inside', async () => {
    const answer = await here.call('GET', '/v1/works/nowhere');
    expect(answer.body).toEqual({
      type: 'urn:signalbox:problem:NOT_FOUND',
      title: REFUSALS.NOT_FOUND.title,
      status: 404,
      detail: 'no work nowhere',
      code: 'NOT_FOUND',
      next: REFUSALS.NOT_FOUND.next,
    });
    expect(here.errors).toEqual([]);
  });
});

describe('who is let in', () => {
  it('another tenant’s work, artifact and principal do not exist', async () => {
    const founded = await owner.putPrincipal({ name: 'chief', roles: ['owner'], tenant: 'elsewhere' });
    expect(founded).toHaveProperty('token', expect.stringMatching(/^sbx_/));
    const { workId, sha256 } = await submitted();
    const stranger = here.box.as('chief', { tenant: 'elsewhere' });
    const { token } = await stranger.createToken({ principal: 'chief' });
    const outside = connect({ url: here.url, token });
    expect((await refusal(outside.show(workId))).code).toBe('NOT_FOUND');
    expect((await refusal(outside.claim(workId, {}))).code).toBe('NOT_FOUND');
    expect((await refusal(outside.history(workId))).code).toBe('NOT_FOUND');
    expect((await refusal(outside.getArtifact(sha256))).code).toBe('NOT_FOUND');
    expect((await refusal(outside.disablePrincipal('wanda'))).code).toBe('NOT_FOUND');
    expect((await outside.list()).total).toBe(0);
    expect((await outside.listPrincipals()).map((each) => each.name)).toEqual(['chief']);
  });

  it('a revoked token, an expired one and a disabled principal are turned away at their next request', async () => {
    await owner.putPrincipal({ name: 'temp', roles: ['worker'] });
    const made = await owner.createToken({
      principal: 'temp',
      expiresAt: new Date(now_ms + 60_000).toISOString(),
    });
    const temp = connect({ url: here.url, token: made.token });
    await temp.list();
    later(60_001);
    expect((await refusal(temp.list())).code).toBe('UNAUTHENTICATED');
    const second = await owner.createToken({ principal: 'temp' });
    const revoked = connect({ url: here.url, token: second.token });
    await revoked.list();
    await owner.revokeToken(second.tokenId);
    expect((await refusal(revoked.list())).code).toBe('UNAUTHENTICATED');
    const third = await owner.createToken({ principal: 'temp' });
    const disabled = connect({ url: here.url, token: third.token });
    await disabled.list();
    await owner.disablePrincipal('temp');
    expect((await refusal(disabled.list())).code).toBe('UNAUTHENTICATED');
  });

  it('an operator acts on behalf of a worker with a reason, and both names are in history', async () => {
    const workId = await ready();
    const token = await here.tokenOf('olga', ['operator']);
    const onBehalfOf = { principal: 'otto', reason: 'Otto’s machine is down – really' };
    const { claim } = await connect({ url: here.url, token, onBehalfOf }).claim(workId, {});
    expect(claim.lease?.holder).toBe('otto');
    const event = (await owner.history(workId)).find((each) => each.data['action'] === 'claim');
    expect(event).toMatchObject({
      by: 'olga',
      data: { onBehalfOf: 'otto', onBehalfReason: onBehalfOf.reason },
    });
    const silent = await here.call('GET', '/v1/works', { headers: { 'X-Signalbox-On-Behalf-Of': 'otto' } });
    expect([silent.status, silent.body.code]).toEqual([422, 'INVALID']);
    const worker2 = connect({ url: here.url, token: await here.tokenOf('otto'), onBehalfOf });
    expect((await refusal(worker2.list())).code).toBe('FORBIDDEN');
  });
});

function winnerOf(result: PromiseSettledResult<unknown> | undefined): string | undefined {
  const value = result?.status === 'fulfilled' ? (result.value as { claim: Claim }) : undefined;
  return value?.claim.lease?.holder;
}
type Claim = Awaited<ReturnType<DoorLike['claim']>>['claim'];

describe('many at once', () => {
  it('of 50 parallel claims exactly one wins, and the others are told who', async () => {
    const workId = await ready();
    const claimants = await Promise.all(
      Array.from({ length: 10 }, (_, index) => here.as(`racer-${index}`, ['worker'])),
    );
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => claimants)
        .flat()
        .map((claimant) => claimant.claim(workId, {})),
    );
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    const lost = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Refusal] : [],
    );
    expect(lost.every((error) => error instanceof Refusal)).toBe(true);
    expect(new Set(lost.map((error) => error.code))).toEqual(new Set(['ALREADY_CLAIMED']));
    expect(new Set(lost.map((error) => error.details.holder))).toEqual(new Set([winnerOf(won[0])]));
    const accepted = (await owner.receipts(workId)).filter(
      (receipt) => receipt.action === 'claim' && receipt.outcome === 'accepted',
    );
    expect(accepted).toHaveLength(1);
  });
});
