import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines, type Line } from '../../src/importing/split-lines.js';

async function* stream<T>(chunks: readonly T[]): AsyncGenerator<T> {
  yield* chunks;
}

async function linesOf(chunks: readonly (Uint8Array | string)[], limit_bytes = 64): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of splitLines(stream(chunks), limit_bytes)) lines.push(line);
  return lines;
}

/** Texts by line number; a bad line as its code. */
async function brief(chunks: readonly (Uint8Array | string)[], limit_bytes?: number): Promise<string[]> {
  const lines = await linesOf(chunks, limit_bytes);
  return lines.map((line) => `${line.line} ${line.ok ? line.text : line.code}`);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('splitting a stream into lines', () => {
  it('takes LF and CRLF, drops a byte order mark, and needs no final newline', async () => {
    expect(await brief(['\ufeffone\r\ntwo\nthree'])).toEqual(['1 one', '2 two', '3 three']);
  });

  it('counts blank lines and gives none out', async () => {
    expect(await brief(['\n\r\n  \nfour\n\n'])).toEqual(['4 four']);
    expect(await brief([])).toEqual([]);
    expect(await brief(['\ufeff'])).toEqual([]);
  });

  it('keeps a byte order mark that is not at the start, since it is not one there', async () => {
    expect(await brief(['a\n\ufeffb'])).toEqual(['1 a', '2 \ufeffb']);
  });

  it('gives the same lines however the stream is cut, inside characters and line endings too', async () => {
    const text = '\ufeffä€🚀 one\r\n\r\ntwo 🚀🚀\nthree\r\n';
    const whole = await linesOf([text]);
    expect(whole).toHaveLength(3);
    const cuts = fc.array(fc.nat(bytes(text).length), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const edges = [0, ...at.toSorted((a, b) => a - b), bytes(text).length];
        const parts = edges.slice(1).map((end, index) => bytes(text).slice(edges[index], end));
        expect(await linesOf(parts)).toEqual(whole);
      }),
    );
    expect(await linesOf(text.split(''))).toEqual(whole);
  });

  it('reports invalid UTF-8 on its own line and goes on', async () => {
    const chunks = [bytes('a\n'), Uint8Array.of(0x22, 0xff, 0x22, 0x0a), bytes('c\n'), Uint8Array.of(0xc3)];
    expect(await brief(chunks)).toEqual(['1 a', '2 INVALID', '3 c', '4 INVALID']);
  });

  it('reports half a surrogate pair in text chunks instead of altering it', async () => {
    expect(await brief(['a\n\ud83d\nc\ud83d', bytes('\nd\n'), '\ude80\ne\ud83d'])).toEqual([
      '1 a',
      '2 INVALID',
      '3 INVALID',
      '4 d',
      '5 INVALID',
      '6 INVALID',
    ]);
  });

  it('takes a line of exactly the limit, reports a longer one and goes on with the next', async () => {
    expect(await brief(['12345678\r\n123456789\nok\n123456789'], 8)).toEqual([
      '1 12345678',
      '2 TOO_LARGE',
      '3 ok',
      '4 TOO_LARGE',
    ]);
    expect(await brief(['\ufeff12345678\r\n'], 8)).toEqual(['1 12345678']);
  });

  it('holds no more than a line while an endless one passes by', async () => {
    const chunk = new Uint8Array(1_048_576).fill(0x61);
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 256; count += 1) yield chunk;
      yield bytes('\nlast');
    }
    const before = process.memoryUsage().arrayBuffers;
    const lines: Line[] = [];
    for await (const line of splitLines(endless(), 1024)) lines.push(line);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1_048_576);
    expect(lines.map(({ ok }) => ok)).toEqual([false, true]);
  });

  it('gives out a line before the stream has ended, and stops the stream when nobody reads on', async () => {
    let stopped = false;
    async function* source(): AsyncGenerator<string> {
      try {
        for (;;) yield 'line\n';
      } finally {
        stopped = true;
      }
    }
    for await (const line of splitLines(source())) {
      expect(line.ok).toBe(true);
      break;
    }
    expect(stopped).toBe(true);
  });
});
