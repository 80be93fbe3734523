import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOUNTS } from '../../src/surfaces/mounts.js';
import { FailedAttempts } from '../../src/surfaces/http/failed-attempts.js';
import { Refusal } from '../../src/core/refusals.js';
import { serving, type Serving } from '../http/serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving({}, { mounts: MOUNTS, failures: { perSecond: 0.001, burst: 20 } });
});
afterAll(() => here.close());

const wrong = (n: number): string => `sbx_${String(n).padStart(43, 'x')}`;

describe('guessing tokens', () => {
  it('is bounded for an address over every door together, and whoever has a token is not locked out by it', async () => {
    expect((await here.call('GET', '/v1/works')).status).toBe(200);
    const doors = ['/v1/works', '/v1/nothing', '/metrics', '/mcp', '/langgraph/threads/x'];
    const met: number[] = [];
    for (let n = 0; n < 40; n += 1) {
      const path = doors[n % doors.length] ?? '';
      const answer = await here.call(path === '/mcp' ? 'POST' : 'GET', path, { token: wrong(n) });
      met.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(met.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(new Set(met.slice(20))).toEqual(new Set([429]));
    const form = { origin: here.url, 'content-type': 'application/x-www-form-urlencoded' };
    const signIn = await fetch(`${here.url}/sign-in`, {
      method: 'POST',
      headers: form,
      body: `token=${wrong(99)}`,
    });
    expect(signIn.status).toBe(429);
    const cookie = `signalbox_session_${new URL(here.url).port}=guessed`;
    expect((await fetch(`${here.url}/`, { headers: { cookie }, redirect: 'manual' })).status).toBe(429);
    expect((await here.call('GET', '/v1/works')).status).toBe(200);
  });

  it('costs an allowance that comes back with time, for each address its own', async () => {
    let now_ms = 0;
    const attempts = new FailedAttempts({ perSecond: 1, burst: 2 }, () => now_ms);
    const guess = (address: string, key: string) =>
      attempts
        .attempt(address, key, () => Promise.reject(new Refusal('UNAUTHENTICATED', 'no')))
        .catch((error: unknown) => (error as Refusal).code);
    const right = (address: string, key: string) =>
      attempts
        .attempt(address, key, () => Promise.resolve('in'))
        .catch((error: unknown) => (error as Refusal).code);
    expect(await right('a', 'mine')).toBe('in');
    expect([await guess('a', '1'), await guess('a', '2'), await guess('a', '3')]).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
      'RATE_LIMITED',
    ]);
    expect([await guess('b', '1'), await right('a', 'mine'), await right('a', 'new')]).toEqual([
      'UNAUTHENTICATED',
      'in',
      'RATE_LIMITED',
    ]);
    now_ms += 1_000;
    expect(await right('a', 'new')).toBe('in');
    // One that was right and is so no longer is a guess like any other.
    expect([await guess('a', 'new'), await guess('a', 'new')]).toEqual(['UNAUTHENTICATED', 'RATE_LIMITED']);
  });
});

describe('tokens', () => {
  let quiet: Serving;
  beforeAll(async () => {
    quiet = await serving();
  });
  afterAll(() => quiet.close());

  it('finds no token on disk: what is kept is its hash, by which it is looked up', async () => {
    const { token } = await quiet.box.as('owner').createToken({ principal: 'owner' });
    expect((await quiet.call('GET', '/v1/works', { token })).status).toBe(200);
    for (const name of (await readdir(quiet.dataDir)).filter((each) => each.startsWith('signalbox.db'))) {
      const bytes = await readFile(join(quiet.dataDir, name));
      expect([name, bytes.includes(token)]).toEqual([name, false]);
    }
  });

  it('learns nothing from the answer: a wrong token, a revoked one and one of a disabled principal are the same', async () => {
    const owner = quiet.box.as('owner');
    await owner.putPrincipal({ name: 'gone', roles: ['worker'] });
    const [revoked, disabled] = [
      await owner.createToken({ principal: 'owner' }),
      await owner.createToken({ principal: 'gone' }),
    ];
    for (const { token } of [revoked, disabled]) await quiet.call('GET', '/v1/works', { token });
    await owner.revokeToken(revoked.tokenId);
    await owner.disablePrincipal('gone');
    const answers = [];
    for (const { token } of [revoked, disabled]) {
      const { status, body } = await quiet.call('GET', '/v1/works', { token });
      answers.push([status, body.detail]);
    }
    expect(answers).toEqual([
      [401, 'this token is unknown, expired or revoked'],
      [401, 'this token is unknown, expired or revoked'],
    ]);
  });
});

describe('rates', () => {
  it('are counted once for a token, through whichever door it comes', async () => {
    const busy = await serving(
      {},
      { mounts: MOUNTS, allowance: { perSecond: 0.001, burst: 4, concurrent: 10 } },
    );
    const ways = ['/v1/works', '/langgraph/threads/x', '/v1/works', '/langgraph/threads/x'];
    for (const path of ways) expect((await busy.call('GET', path)).status).not.toBe(429);
    for (const path of ways) expect((await busy.call('GET', path)).status).toBe(429);
    expect((await busy.call('POST', '/mcp', { json: {} })).status).toBe(429);
    await busy.close();
  });
});
