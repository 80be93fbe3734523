import type { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { Refusal, connect } from '../../src/client.js';
import { RequestLimits } from '../../src/surfaces/http/limits.js';
import type { AppEnv } from '../../src/surfaces/http/app-options.js';
import { refusalResponse } from '../../src/surfaces/http/problem.js';
import { serving } from './serving.js';

describe('what one token may ask', () => {
  it('a burst, then so many a second; after a pause the burst is there again', () => {
    let now_ms = 0;
    const limits = new RequestLimits({ perSecond: 10, burst: 3, concurrent: 100 }, () => now_ms);
    for (let index = 0; index < 3; index += 1) limits.enter('a')();
    expect(() => limits.enter('a')).toThrow(Refusal);
    limits.enter('b')();
    now_ms += 100;
    limits.enter('a')();
    expect(() => limits.enter('a')).toThrow('RATE_LIMITED');
    now_ms += 10_000;
    for (let index = 0; index < 3; index += 1) limits.enter('a')();
    expect(() => limits.enter('a')).toThrow('RATE_LIMITED');
  });

  it('so many at a time; one that is done makes room once, however often it says so', () => {
    const limits = new RequestLimits({ perSecond: 1000, burst: 1000, concurrent: 2 }, () => 0);
    const leave = limits.enter('a');
    limits.enter('a');
    expect(() => limits.enter('a')).toThrow('RATE_LIMITED');
    leave();
    leave();
    limits.enter('a');
    expect(() => limits.enter('a')).toThrow('RATE_LIMITED');
  });

  it('over HTTP it is 429 with Retry-After, for this token alone, and an open stream counts until it ends', async () => {
    const here = await serving({}, { allowance: { perSecond: 1000, burst: 1000, concurrent: 1 } });
    const other = await here.tokenOf('vera', ['viewer']);
    const ending = new AbortController();
    const stream = await fetch(`${here.url}/v1/events`, {
      headers: { authorization: `Bearer ${here.ownerToken}` },
      signal: ending.signal,
    });
    expect(stream.status).toBe(200);
    const answer = await here.call('GET', '/v1/works');
    expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const refused: unknown = await connect({ url: here.url, token: here.ownerToken })
      .list()
      .catch((error: unknown) => error);
    expect((refused as Refusal).details.retryAfter_ms).toBeGreaterThanOrEqual(1000);
    expect((await here.call('GET', '/v1/works', { token: other })).status).toBe(200);
    ending.abort();
    await expect
      .poll(async () => (await here.call('GET', '/v1/works')).status, { timeout: 10_000 })
      .toBe(200);
    await here.close();
  });
});

describe('BUSY', () => {
  it('is 503 and says when to come back, so that a client can send the same request again', async () => {
    const response = refusalResponse(new Refusal('BUSY', 'another process is writing'));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ code: 'BUSY', status: 503 });
  });
});

describe('HEAD', () => {
  it('answers like GET without a body, and leaves no stream running', async () => {
    const here = await serving({}, { allowance: { perSecond: 1000, burst: 1000, concurrent: 1 } });
    for (const path of ['/v1/events', '/v1/works', '/v1/events']) {
      const answer = await here.call('HEAD', path);
      expect([answer.status, answer.text]).toEqual([200, '']);
    }
    await here.close();
  });
});

describe('mounted surfaces', () => {
  it('share the address, the request IDs and the host check', async () => {
    const mount = (app: Hono<AppEnv>): void => {
      app.get('/', (c) => c.text('cockpit'));
    };
    const here = await serving({}, { mounts: [mount] });
    const answer = await here.call('GET', '/', { token: null });
    expect([answer.status, answer.text]).toEqual([200, 'cockpit']);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    const nothing = await here.call('GET', '/elsewhere', { token: null });
    expect([nothing.status, nothing.body.code]).toEqual([404, 'NOT_FOUND']);
    await here.close();
  });
});

describe('waiting for the apply', () => {
  it('an answer that does not wait is durable at once and applied soon after', async () => {
    const here = await serving();
    const owner = await here.as('owner');
    await owner.register({ workId: 'w', input: 1 });
    const answer = await here.call('POST', '/v1/works/w/promote', {
      json: { reason: 'real' },
      headers: { Prefer: 'respond-async' },
    });
    expect([200, 202]).toContain(answer.status);
    expect(answer.body.receipt.outcome).toBe('accepted');
    expect(answer.status === 202).toBe(!answer.body.receipt.applied);
    await expect.poll(async () => (await owner.show('w')).status).toBe('READY');
    const claimed = await here.call('POST', '/v1/works/w/claim?wait_ms=0', { json: {} });
    expect(claimed.status).toBe(200);
    await expect.poll(async () => (await owner.show('w')).status).toBe('IN_PROGRESS');
    await here.close();
  });
});

describe('request IDs', () => {
  it('the caller’s comes back, a made-up one stands in for a missing or strange one', async () => {
    const here = await serving();
    const given = await here.call('GET', '/v1/works', { headers: { 'X-Request-Id': 'mine-1' } });
    expect(given.headers.get('x-request-id')).toBe('mine-1');
    const strange = await here.call('GET', '/v1/works', { headers: { 'X-Request-Id': 'a"b c' } });
    expect(strange.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    await here.close();
  });

  it('an error of ours is 500 without what happened inside; that is in the log, under the same ID', async () => {
    const here = await serving();
    const { store } = here.box.desk;
    const answered = await here.call('GET', '/v1/works');
    expect(answered.status).toBe(200);
    await store.close();
    const answer = await here.call('GET', '/v1/works', { headers: { 'X-Request-Id': 'broken-1' } });
    expect([answer.status, answer.body.code]).toEqual([500, 'INTERNAL']);
    expect(answer.text).not.toMatch(/sqlite|database|\.ts|\.js/i);
    expect(here.errors[0]).toMatchObject({ requestId: 'broken-1', path: '/v1/works' });
    expect(here.errors[0]?.['error']).toMatch(/StoreError|database/);
    expect((await here.call('GET', '/readyz', { token: null })).status).toBe(503);
    expect((await here.call('GET', '/healthz', { token: null })).status).toBe(200);
    await here.server.close().catch(() => undefined);
  });
});
