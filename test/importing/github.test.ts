import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseGithub, parseGithubArray } from '../../src/importing/github.js';
import { GITHUB_FILE_LIMIT_bytes, readImport } from '../../src/importing/read-import.js';
import type { Parsed } from '../../src/importing/import-request.js';
import { GITHUB_SAMPLE } from './samples.js';

const URL_12 = 'https://github.com/example/signal-box/issues/12';
const ISSUE = {
  number: 12,
  title: 'Lever 4 sticks',
  body: 'In frost only.',
  labels: [
    { id: 'L2', name: 'winter', color: '0366d6' },
    { id: 'L1', name: 'bug', color: 'd73a4a' },
  ],
  url: URL_12,
  state: 'OPEN',
};

async function read(chunks: AsyncIterable<Uint8Array | string>, kind?: string): Promise<Parsed[]> {
  const results: Parsed[] = [];
  const options = kind === undefined ? {} : { kind };
  for await (const result of readImport('github', chunks, options)) results.push(result);
  return results;
}

async function* stream<T>(...chunks: readonly T[]): AsyncGenerator<T> {
  yield* chunks;
}

describe('GitHub issues', () => {
  it('become generic works named after repository and number', () => {
    expect(parseGithub(ISSUE, 1)).toEqual({
      ok: true,
      line: 1,
      request: {
        kind: 'generic',
        workId: 'gh-example-signal-box-12',
        title: 'Lever 4 sticks',
        input: {
          repository: 'example/signal-box',
          issueNumber: 12,
          title: 'Lever 4 sticks',
          description: 'In frost only.',
          labels: ['bug', 'winter'],
          state: 'OPEN',
          url: URL_12,
        },
        source: URL_12,
      },
    });
  });

  it('become code changes with that kind’s fields and no more, when asked for', () => {
    expect(parseGithub(ISSUE, 1, { kind: 'code-change' })).toMatchObject({
      request: { kind: 'code-change', workId: 'gh-example-signal-box-12' },
    });
    const result = parseGithub(ISSUE, 1, { kind: 'code-change' });
    expect(result.ok && result.request.input).toEqual({
      repository: 'example/signal-box',
      issueNumber: 12,
      title: 'Lever 4 sticks',
      description: 'In frost only.',
    });
  });

  it('are named after their number alone where they come without a URL', () => {
    expect(parseGithub({ number: 3, title: 'a' }, 1)).toMatchObject({
      request: { workId: 'gh-3', source: 'github:#3' },
    });
    expect(parseGithub({ number: 3, title: 'a' }, 1, { kind: 'code-change' })).toMatchObject({
      ok: false,
      path: '/url',
    });
  });

  it.each([
    ['no number', { title: 'a' }, '/number'],
    ['number zero', { number: 0, title: 'a' }, '/number'],
    ['a number as text', { number: '1', title: 'a' }, '/number'],
    ['no title', { number: 1 }, '/title'],
    ['a body that is no text', { number: 1, title: 'a', body: {} }, '/body'],
    ['a label without name', { number: 1, title: 'a', labels: [{}] }, '/labels/0/name'],
    ['labels as plain text', { number: 1, title: 'a', labels: ['bug'] }, '/labels/0'],
    ['a URL of something else', { number: 1, title: 'a', url: 'https://github.com/example' }, '/url'],
    ["another issue's URL", { number: 1, title: 'a', url: URL_12 }, '/url'],
    ['a control character', { number: 1, title: 'a\u0000' }, '/title'],
    ['no object', 'a', ''],
  ])('are refused with %s', (_, element, path) => {
    expect(parseGithub(element, 4)).toMatchObject({ ok: false, line: 4, code: 'INVALID', path });
  });

  it('are read from an array, and a bad element stops nothing', async () => {
    const results = await read(createReadStream(GITHUB_SAMPLE, { highWaterMark: 7 }));
    expect(results.map((result) => (result.ok ? result.request.workId : `element ${result.line}`))).toEqual([
      'gh-example-signal-box-12',
      'element 2',
      'gh-example-signal-box-14',
    ]);
  });

  it('are read one object a line too, as the tool prints them when asked for each', async () => {
    const results = await read(
      stream(`\ufeff${JSON.stringify(ISSUE)}\r\n`, '{"number":\n', '{"number":3,"title":"b"}'),
    );
    expect(results.map(({ ok, line }) => `${line} ${ok}`)).toEqual(['1 true', '2 false', '3 true']);
  });

  it('are refused as a whole when the array is broken or is none', () => {
    expect([...parseGithubArray('[{"number":1')]).toMatchObject([{ ok: false, line: 1, path: '' }]);
    expect([...parseGithubArray('{}')]).toMatchObject([{ ok: false, message: 'must be an array of issues' }]);
    expect([...parseGithubArray('[]')]).toEqual([]);
  });

  it('are refused as a whole when the file is not UTF-8 or too large to hold', async () => {
    expect(await read(stream(Uint8Array.of(0x5b, 0xff)))).toMatchObject([{ ok: false, code: 'INVALID' }]);
    const half = new Uint8Array(GITHUB_FILE_LIMIT_bytes / 2 + 1).fill(0x20);
    expect(await read(stream(half, half))).toMatchObject([{ ok: false, code: 'TOO_LARGE' }]);
  });
});
