import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../proof/fuzz/send.js';
import { serving, type Serving } from '../http/serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving();
});
afterAll(() => here.close());

const JSON_TYPE = { 'content-type': 'application/json' };

describe('paths in names', () => {
  it.each([
    '/v1/artifacts/..%2f..%2fsignalbox.db',
    '/v1/artifacts/%2e%2e%2fowner.token',
    '/v1/artifacts/../../owner.token',
    '/v1/artifacts/....//owner.token',
    '/v1/artifacts/..\\owner.token',
    `/v1/artifacts/${'0'.repeat(62)}%00`,
    `/v1/artifacts/${'A'.repeat(64)}`,
    '/v1/works/..%2f..%2fowner.token',
    '/v1/kinds/%2e%2e/rules',
    '/cockpit/..%2fen.ts',
  ])('%s leads to no file', async (path) => {
    const headers = [['authorization', `Bearer ${here.ownerToken}`]] as const;
    const answer = await send(here.url, { method: 'GET', path, headers, body: null });
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).not.toContain(here.ownerToken);
    expect(answer.text).not.toContain('SQLite format');
  });

  it('an artifact lies under its own hash, whatever its sender says of it; nothing lies beside the data folder', async () => {
    const beside = await readdir(dirname(here.dataDir));
    const bytes = 'named ../../evil';
    const headers = {
      'content-type': 'text/plain; name="../../evil"',
      'content-disposition': 'attachment; filename="../../evil"',
    };
    const stored = await here.call('PUT', '/v1/artifacts', { raw: bytes, headers });
    expect(stored.body.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const names = await readdir(here.dataDir, { recursive: true });
    expect(names.filter((name) => name.includes('evil'))).toEqual([]);
    expect((await readdir(dirname(here.dataDir))).filter((name) => /evil/.test(name))).toEqual([]);
    expect(beside.length).toBeGreaterThan(0);
  });

  it.each(['..', '.', 'a/b', 'a\\b', 'a?b', 'a#b', 'a%2fb', 'a b', 'x'.repeat(201)])(
    'a work cannot be called %s',
    async (workId) => {
      const answer = await here.call('POST', '/v1/works', { json: { workId, input: 1 } });
      expect([answer.status, answer.body.code]).toEqual([422, 'INVALID']);
    },
  );
});

describe('bodies that unfold', () => {
  it.each(['gzip', 'deflate', 'br', 'gzip, gzip', 'x-unknown'])(
    'packed as %s are refused unread, at every door that takes one',
    async (encoding) => {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(5 * 1_048_576, '0')));
      expect(bomb.length).toBeLessThan(20_000);
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      for (const [method, path] of [
        ['POST', '/v1/works'],
        ['POST', '/v1/works/import'],
        ['PUT', '/v1/artifacts'],
      ] as const) {
        const answer = await here.call(method, path, { raw: bomb, headers });
        expect([path, answer.status, answer.body.errors?.[0].path]).toEqual([path, 422, '/Content-Encoding']);
      }
    },
  );

  it('a packed artifact is bytes like any other: nobody unpacks it', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(5 * 1_048_576, '0')));
    const stored = await here.call('PUT', '/v1/artifacts', {
      raw: bomb,
      headers: { 'content-type': 'application/gzip' },
    });
    expect(stored.body.size).toBe(bomb.length);
  });

  it('nesting without end and a million members are answered in time', async () => {
    const deep = `{"workId":"d","input":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    const wide = `{"workId":"w","input":{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":0`).join(',')}}}`;
    for (const [raw, status] of [
      [deep, 422],
      [wide, 201],
    ] as const) {
      const begun = performance.now();
      expect((await here.call('POST', '/v1/works', { raw, headers: JSON_TYPE })).status).toBe(status);
      expect(performance.now() - begun).toBeLessThan(10_000);
    }
  });
});

describe('prototypes', () => {
  it.each([
    '{"workId":"p1","input":{"__proto__":{"polluted":true}}}',
    '{"workId":"p2","input":1,"__proto__":{"polluted":true}}',
    '{"workId":"p3","input":{"constructor":{"prototype":{"polluted":true}}}}',
    '{"workId":"p4","input":[{"a":{"__proto__":[]}}]}',
    '{"__proto__":{"workId":"p5","input":1}}',
    '{"workId":"p6","input":1,"source":{"prototype":{"polluted":true},"toString":1,"hasOwnProperty":1}}',
  ])('%s changes none', async (raw) => {
    const answer = await here.call('POST', '/v1/works', { raw, headers: JSON_TYPE });
    expect([201, 422]).toContain(answer.status);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect((await here.call('GET', '/v1/works')).status).toBe(200);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is no kind, view, role, action or parameter',
    async (name) => {
      const asked = [
        await here.call('POST', '/v1/works', { json: { kind: name, workId: 'k', input: 1 } }),
        await here.call('GET', `/v1/kinds/${name}/rules`),
        await here.call('GET', `/v1/basket?view=${name}`),
        await here.call('GET', `/v1/works?${name}=1&sort=${name}`),
        await here.call('POST', '/v1/principals', { json: { name: 'x', roles: [name] } }),
        await here.call('POST', '/v1/works/absent/act', { json: { [name]: 1 } }),
      ];
      for (const answer of asked) expect([404, 422]).toContain(answer.status);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});

describe('errors of HTTP itself', () => {
  it.each([
    ['a path that is no URL', '/\\', [], 400, 'INVALID'],
    ['headers that are too long', '/v1/works', [['x-long', 'x'.repeat(20_000)]], 431, 'TOO_LARGE'],
  ] as const)('%s has the shape of every other error', async (_what, path, headers, status, code) => {
    const answer = await send(here.url, { method: 'GET', path, headers, body: null });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(answer.text)).toMatchObject({ status, code });
  });
});
