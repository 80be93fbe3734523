import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serving, type Serving } from './serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving();
});
afterAll(() => here.close());

const twice = async (path: string, json: unknown, key: string) => {
  const headers = { 'idempotency-key': key };
  return [
    await here.call('POST', path, { json, headers }),
    await here.call('POST', path, { json, headers }),
  ] as const;
};

describe('the same request again under its key', () => {
  it('registers as it did the first time: created is told again as created', async () => {
    const [first, again] = await twice('/v1/works', { workId: 'r-1', input: 1 }, 'k-1');
    expect([first.status, first.body.outcome, first.body.replayed]).toEqual([201, 'created', false]);
    expect([again.status, again.body.outcome, again.body.replayed]).toEqual([201, 'created', true]);
    const [known, knownAgain] = await twice('/v1/works', { workId: 'r-1', input: 1 }, 'k-2');
    expect([known.body.outcome, knownAgain.status, knownAgain.body.outcome]).toEqual([
      'existing',
      200,
      'existing',
    ]);
    const correction = { workId: 'r-1', input: 2, correction: { reason: 'typo' } };
    const [corrected, correctedAgain] = await twice('/v1/works', correction, 'k-3');
    expect([corrected.body.outcome, correctedAgain.body.outcome]).toEqual(['corrected', 'corrected']);
    expect(correctedAgain.body.work.inputVersion).toBe(2);
  });

  it('records an exception as it did the first time, with no second observation', async () => {
    const exception = {
      exceptionId: 'e-1',
      origin: { system: 'x', runId: 'r' },
      occurredAt: '2026-01-01T00:00:00Z',
    };
    const [first, again] = await twice('/v1/exceptions', exception, 'k-4');
    expect([first.status, again.status, again.body.replayed]).toEqual([201, 201, true]);
    expect(again.body.case).toEqual(first.body.case);
  });

  it('leaves one note, and turns a switch once', async () => {
    const [first, again] = await twice('/v1/works/r-1/notes', { text: 'look at page 2' }, 'k-5');
    expect(again.body).toEqual(first.body);
    const notes = (await here.box.as('owner').history('r-1')).filter(({ type }) => type === 'note.added');
    expect(notes).toHaveLength(1);
    const turn = { switch: 'claims', paused: true, reason: 'stocktaking' };
    const [turned, turnedAgain] = await twice('/v1/switches', turn, 'k-6');
    expect(turnedAgain.body).toEqual(turned.body);
    expect((await here.box.as('owner').switches()).turns).toHaveLength(1);
  });

  it('makes no second secret, and says so: the first was shown once', async () => {
    for (const [path, json] of [
      ['/v1/tokens', { principal: 'owner', label: 'again' }],
      ['/v1/sign-in-links', {}],
    ] as const) {
      const [first, again] = await twice(path, json, `k-7-${path}`);
      expect(first.status).toBe(201);
      expect([again.status, again.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    const labels = (await here.box.as('owner').listTokens()).map(({ label }) => label);
    expect(labels.filter((label) => label === 'again')).toHaveLength(1);
  });

  it('never gives a second go-ahead: an operation is known by its own ID', async () => {
    const owner = here.box.as('owner');
    await owner.register({ workId: 'r-2', input: 1 });
    await owner.promote('r-2', { reason: 'go' });
    const { claim } = await owner.claim('r-2', {});
    const effect = { interruptId: claim.interruptId, operationId: 'o-1', action: 'send', target: 'x' };
    const [first, again] = await twice('/v1/works/r-2/effects', effect, 'k-8');
    expect([first.body.goAhead, again.body.goAhead]).toEqual([true, false]);
  });

  it('asks a question of a case and takes its answer once, and knows another question by all that it says', async () => {
    const owner = here.box.as('owner');
    const raised = {
      exceptionId: 'e-2',
      origin: { system: 'x', runId: 'r' },
      occurredAt: '2026-01-01T00:00:00Z',
    };
    const { work } = await owner.recordException(raised);
    const { interruptId } = (await owner.claim(work.workId, {})).claim;
    const ask = `/v1/exceptions/${work.workId}/request-info`;
    const question = { interruptId, who: 'sam', what: 'the quote', until: '2999-01-01T00:00:00Z' };
    const [asked, askedAgain] = await twice(ask, question, 'k-9');
    expect([asked.body.replayed, askedAgain.body.replayed]).toEqual([false, true]);
    for (const other of [{ who: 'carl' }, { until: '2999-02-01T00:00:00Z' }]) {
      const headers = { 'idempotency-key': 'k-9' };
      const reused = await here.call('POST', ask, { json: { ...question, ...other }, headers });
      expect([reused.status, reused.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    const material = { reason: 'here it is', evidence: [{ label: 'quote', body: 17 }] };
    const [brought, again] = await twice(`/v1/exceptions/${work.workId}/provide-info`, material, 'k-10');
    expect([brought.status, again.status, again.body.replayed]).toEqual([200, 200, true]);
    expect(again.body.receipt).toEqual(brought.body.receipt);
    expect((await owner.showCase(work.workId)).evidence).toHaveLength(1);
  });

  it('extends a lease once', async () => {
    const owner = here.box.as('owner');
    await owner.register({ workId: 'r-4', input: 1 });
    await owner.promote('r-4', { reason: 'go' });
    const { claim } = await owner.claim('r-4', {});
    const renewal = { interruptId: claim.interruptId, progress: { done: 1 } };
    const [first, again] = await twice('/v1/works/r-4/renew', renewal, 'k-11');
    expect([again.status, again.body]).toEqual([200, first.body]);
    const renewed = (await owner.history('r-4')).filter(({ type }) => type === 'lease.renewed');
    expect(renewed).toHaveLength(1);
    const headers = { 'idempotency-key': 'k-11' };
    const json = { ...renewal, progress: { done: 2 } };
    const reused = await here.call('POST', '/v1/works/r-4/renew', { json, headers });
    expect(reused.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('is refused where the key has control characters, and taken in any script through the client', async () => {
    const client = await here.as('owner');
    const body = { workId: 'r-3', input: 1 };
    await client.register(body, { idempotencyKey: '請求書-1' });
    expect(await client.register(body, { idempotencyKey: '請求書-1' })).toMatchObject({ replayed: true });
    await expect(client.register(body, { idempotencyKey: 'a\nb' })).rejects.toThrow('control characters');
    await expect(here.box.as('owner').register(body, { idempotencyKey: 'a\nb' })).rejects.toThrow(
      'control characters',
    );
  });
});
