import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.js';
import { serving, type Answered, type Serving } from './serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving();
});
afterAll(async () => {
  // Nothing a caller sent may have been an accident on our side.
  expect(here.errors).toEqual([]);
  await here.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };

function expectInvalid(answer: Answered, path: string): void {
  expect([answer.status, answer.body.code]).toEqual([422, 'INVALID']);
  expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
}

describe('bad input', () => {
  it.each(['{', '{"a":1,}', 'nonsense', '"open', '\u{feff}{}x'])(
    'broken JSON %j is INVALID as a whole',
    async (raw) => {
      expectInvalid(await here.call('POST', '/v1/works', { raw, headers: JSON_TYPE }), '');
    },
  );

  it('bytes that are no UTF-8 are INVALID', async () => {
    const raw = new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]);
    expectInvalid(await here.call('POST', '/v1/works', { raw, headers: JSON_TYPE }), '');
  });

  it('an empty body, or another value than an object, is INVALID and no crash', async () => {
    for (const raw of ['', 'null', '[]', '7', '"text"']) {
      const answer = await here.call('POST', '/v1/works', { raw, headers: JSON_TYPE });
      expect([answer.status, answer.body.code]).toEqual([422, 'INVALID']);
    }
  });

  it('JSON without its content type is INVALID and says so; with parameters it is taken', async () => {
    const raw = JSON.stringify({ workId: 'typed', input: 1 });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const answer = await here.call('POST', '/v1/works', { raw, headers: { 'content-type': type } });
      expectInvalid(answer, '');
      expect(answer.body.detail).toContain('Content-Type: application/json');
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await here.call('POST', '/v1/works', { raw, headers })).status).toBe(201);
  });

  it('wrong types, unknown fields and an unknown kind are INVALID at their paths', async () => {
    const post = (json: unknown): Promise<Answered> => here.call('POST', '/v1/works', { json });
    expectInvalid(await post({ workId: 7, input: 1 }), '/workId');
    expectInvalid(await post({ workId: 'x', input: 1, priority: 'high' }), '/priority');
    expectInvalid(await post({ workId: 'x', input: 1, blockedBy: ['ok', 3] }), '/blockedBy/1');
    expectInvalid(await post({ workId: 'x' }), '/input');
    expectInvalid(await post({ workId: 'x', input: 1, colour: 'red' }), '');
    expectInvalid(await post({ kind: 'no-such-kind', workId: 'x', input: 1 }), '/kind');
    expectInvalid(await post({ workId: '..', input: 1 }), '/workId');
    expectInvalid(await post({ workId: 'a/b', input: 1 }), '/workId');
    expectInvalid(await post({ workId: 'x', input: 1, dueAt: 'tomorrow' }), '/dueAt');
  });

  it('control characters, half surrogates, __proto__, serialised LangChain objects and deep nests are INVALID', async () => {
    const post = (input: string): Promise<Answered> =>
      here.call('POST', '/v1/works', { raw: `{"workId":"hostile","input":${input}}`, headers: JSON_TYPE });
    expectInvalid(await post('{"a":"x\\u0000y"}'), '/input/a');
    expectInvalid(await post('"\\ud800"'), '/input');
    expectInvalid(await post('{"__proto__":{"admin":true}}'), '/input/__proto__');
    expectInvalid(await post('{"lc":1,"type":"constructor","id":["a"],"kwargs":{}}'), '/input');
    expectInvalid(await post('1e999'), '/input');
    const deep = await post('['.repeat(5000) + ']'.repeat(5000));
    expect([deep.status, deep.body.code]).toEqual([422, 'INVALID']);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect((await here.call('GET', '/v1/works/hostile')).status).toBe(404);
  });

  it('queries are checked: sort, limit, cursor, status, unknown names', async () => {
    for (const [query, path] of [
      ['sort=colour', '/sort'],
      ['limit=0', '/limit'],
      ['limit=201', '/limit'],
      ['limit=ten', '/limit'],
      ['cursor=nonsense', '/cursor'],
      ['status=READY,NOPE', '/status/1'],
      ['stauts=READY', ''],
    ] as const) {
      expectInvalid(await here.call('GET', `/v1/works?${query}`), path);
    }
    expectInvalid(await here.call('GET', '/v1/kinds?limit=x'), '/limit');
    expectInvalid(await here.call('POST', '/v1/works/x/claim?wait_ms=-1', { json: {} }), '/wait_ms');
    expect((await here.call('GET', '/v1/works/%E0%A4%A')).status).toBe(404);
  });

  it('an idempotency key that is too long is INVALID', async () => {
    const headers = { 'Idempotency-Key': 'k'.repeat(256) };
    const answer = await here.call('POST', '/v1/works', { json: { workId: 'k', input: 1 }, headers });
    expectInvalid(answer, '/Idempotency-Key');
  });

  it('a method that a path does not have is 405 with Allow', async () => {
    const answer = await here.call('DELETE', '/v1/works');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([405, 'application/problem+json']);
    expect(answer.headers.get('allow')).toBe('POST, GET');
  });
});

describe('sizes', () => {
  it('a JSON body over the limit is TOO_LARGE, and the server goes on', async () => {
    const raw = `{"workId":"big","input":"${'x'.repeat(10 * 1024 * 1024)}"}`;
    const answer = await here.call('POST', '/v1/works', { raw, headers: JSON_TYPE });
    expect([answer.status, answer.body.code]).toEqual([413, 'TOO_LARGE']);
    expect(answer.body.detail).toContain(String(LIMITS.jsonBody_bytes));
    expect((await here.call('GET', '/healthz')).status).toBe(200);
  });

  it('a body without a declared length is cut off where it passes the limit, long before its end', async () => {
    const { status, sent_bytes } = await streamed('POST', '/v1/works', JSON_TYPE, 200 * 1024 * 1024);
    expect(status).toBe(413);
    expect(sent_bytes).toBeLessThan(150 * 1024 * 1024);
  });

  it('an artifact that declares too much is refused before any of it is read', async () => {
    const answer = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${here.url}/v1/artifacts`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${here.ownerToken}`,
          'content-type': 'text/plain',
          'content-length': LIMITS.artifact_bytes + 1,
        },
      });
      request.on('response', (response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(answer).toBe(413);
  });

  it('an artifact of any bytes comes back as it was', async () => {
    const bytes = new Uint8Array(3 * 1024 * 1024).map((_, index) => (index * 31) % 256);
    const stored = await here.call('PUT', '/v1/artifacts', {
      raw: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect([stored.status, stored.body.size]).toEqual([201, bytes.length]);
    const back = await fetch(`${here.url}/v1/artifacts/${stored.body.sha256}`, {
      headers: { authorization: `Bearer ${here.ownerToken}` },
    });
    expect(Buffer.from(await back.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    const empty = await here.call('PUT', '/v1/artifacts', {
      raw: '',
      headers: { 'content-type': 'text/plain' },
    });
    expect([empty.status, empty.body.size]).toEqual([201, 0]);
    const odd = await here.call('PUT', '/v1/artifacts', {
      raw: 'x',
      headers: { 'content-type': 'nonsense' },
    });
    expectInvalid(odd, '/Content-Type');
  });
});

describe('uploads that break off', () => {
  it('leave no artifact, no leftover file and no error of ours', async () => {
    const sent = Buffer.from('only half of it');
    await new Promise<void>((resolve) => {
      const request = httpRequest(`${here.url}/v1/artifacts`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${here.ownerToken}`,
          'content-type': 'text/plain',
          'content-length': sent.length * 2,
        },
      });
      request.on('error', () => resolve());
      request.on('close', () => resolve());
      request.write(sent, () => setTimeout(() => request.destroy(), 100));
    });
    const sha256 = createHash('sha256').update(sent).digest('hex');
    await expect.poll(() => readdir(join(here.dataDir, 'artifacts', 'incoming'))).toEqual([]);
    expect((await here.call('GET', `/v1/artifacts/${sha256}`)).status).toBe(404);
  });
});

/** Sends zeros in chunks with no declared length until the server answers. */
function streamed(
  method: string,
  path: string,
  headers: Record<string, string>,
  most_bytes: number,
): Promise<{ status: number; sent_bytes: number }> {
  return new Promise((resolve, reject) => {
    const chunk = Buffer.alloc(256 * 1024, '0');
    let sent_bytes = 0;
    const state = { answered: false };
    const request = httpRequest(`${here.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${here.ownerToken}`, ...headers },
    });
    request.on('response', (response) => {
      state.answered = true;
      resolve({ status: response.statusCode ?? 0, sent_bytes });
      request.destroy();
    });
    request.on('error', (error) => {
      if (!state.answered) reject(error);
    });
    const more = (): void => {
      while (!state.answered && sent_bytes < most_bytes) {
        sent_bytes += chunk.length;
        if (!request.write(chunk)) return void request.once('drain', more);
      }
      if (!state.answered) request.end();
    };
    more();
  });
}

describe('imports', () => {
  it('answers line by line, in order, and a bad line stops nothing', async () => {
    const raw = [
      '{"workId":"imp-1","input":1}',
      'nonsense',
      '{"workId":"imp-2","input":{"__proto__":1}}',
      '',
      '{"workId":"imp-1","input":1}',
      '{"workId":"imp-1","input":2}',
      '{"workId":"imp-3","kind":"generic","input":3}',
    ].join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await here.call('POST', '/v1/works/import', { raw, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => [line['line'], line['outcome'], line['code']])).toEqual([
      [1, 'created', undefined],
      [2, 'refused', 'INVALID'],
      [3, 'refused', 'INVALID'],
      [5, 'existing', undefined],
      [6, 'refused', 'CONTENT_CHANGED'],
      [7, 'created', undefined],
    ]);
  });

  it('the client imports a long stream, with lines that were none in their places', async () => {
    const owner = await here.as('owner');
    function* lines() {
      for (let line = 1; line <= 450; line += 1) {
        if (line % 100 === 0) {
          yield { ok: false as const, line, code: 'INVALID' as const, message: 'is not JSON', path: '' };
        } else yield { ok: true as const, line, request: { workId: `many-${line}`, input: line } };
      }
    }
    const outcomes = [];
    for await (const outcome of owner.importWorks(lines())) outcomes.push(outcome);
    expect(outcomes.map((outcome) => outcome.line)).toEqual(
      Array.from({ length: 450 }, (_, index) => index + 1),
    );
    expect(outcomes.filter((outcome) => outcome.outcome === 'created')).toHaveLength(446);
    expect(outcomes[99]).toMatchObject({ line: 100, outcome: 'refused', code: 'INVALID' });
    expect((await owner.list({ q: 'many-' })).total).toBe(446);
  });
});
