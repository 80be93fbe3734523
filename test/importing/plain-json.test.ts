import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertPlainJson, MAX_JSON_DEPTH, MAX_JSON_ISSUES } from '../../src/core/plain-json.js';

/** Paths of the issues of a JSON text. */
function pathsIn(text: string): string[] {
  return assertPlainJson(JSON.parse(text)).map(({ path }) => path);
}

function nested(levels: number): unknown {
  let value: unknown = 'leaf';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

describe('plain JSON', () => {
  it('accepts any ordinary JSON, and words that only look dangerous', () => {
    expect(
      pathsIn('{"a":[1,-0.5,true,null,"tab\\tline\\r\\n","\\ud83d\\ude80"],"constructor":{},"prototype":1}'),
    ).toEqual([]);
    expect(pathsIn('{"lc":1}')).toEqual([]);
    expect(pathsIn('{"lc":3,"type":"constructor"}')).toEqual([]);
    expect(pathsIn('{"type":"constructor","id":["a"]}')).toEqual([]);
  });

  it('accepts whatever JSON can say in ordinary words', () => {
    const special = ['"__proto__"', '"lc"', '"lg_name"'];
    const ordinary = fc
      .jsonValue({ maxDepth: 5 })
      .filter((value) => !special.some((key) => JSON.stringify(value).includes(key)));
    fc.assert(fc.property(ordinary, (value) => assertPlainJson(value).length === 0));
  });

  it('refuses __proto__ wherever it hides, with its path', () => {
    expect(pathsIn('{"a":[{"__proto__":{"role":"owner"}}]}')).toEqual(['/a/0/__proto__']);
    expect(pathsIn('{"__proto__":null}')).toEqual(['/__proto__']);
  });

  it('refuses what LangChain or the checkpoint serialiser would revive', () => {
    expect(pathsIn('{"x":{"lc":1,"type":"constructor","id":["langchain","x"],"kwargs":{}}}')).toEqual(['/x']);
    expect(pathsIn('{"lc":1,"type":"constructor"}')).toEqual(['']);
    expect(pathsIn('[{"lc":1,"type":"secret","id":["TOKEN"]}]')).toEqual(['/0']);
    expect(pathsIn('{"lc":2,"type":"undefined"}')).toEqual(['']);
    expect(pathsIn('{"lg_name":"Send","node":"review","args":{},"note":"lost"}')).toEqual(['']);
  });

  it('refuses control characters and half surrogate pairs in texts and keys', () => {
    expect(pathsIn('{"a":"x\\u0000"}')).toEqual(['/a']);
    expect(pathsIn('{"a":"\\u001b[31m"}')).toEqual(['/a']);
    expect(pathsIn('{"a\\u0007":1}')).toEqual(['/a\u0007']);
    expect(pathsIn('["\\ud800","\\udc00","\\ud800x","\\udc00\\ud800"]')).toEqual(['/0', '/1', '/2', '/3']);
    expect(pathsIn('{"\\ud800":1}')).toHaveLength(1);
  });

  it('names what is wrong with the code point, for whoever must find it', () => {
    expect(assertPlainJson('\u0001')[0]?.message).toContain('U+0001');
  });

  it('refuses numbers that JSON cannot write back', () => {
    expect(pathsIn('{"total":1e999,"credit":-1e999}')).toEqual(['/total', '/credit']);
    expect(assertPlainJson([Number.NaN])).toEqual([{ path: '/0', message: 'is not a finite number' }]);
  });

  it('refuses what is no JSON at all', () => {
    const values = [undefined, 1n, Symbol('s'), () => 1, new Date(0), new Map(), new Uint8Array(1)];
    expect(assertPlainJson(values).map(({ path }) => path)).toEqual(values.map((_, index) => `/${index}`));
  });

  it(`accepts ${MAX_JSON_DEPTH} levels and refuses one more, however deep it goes on`, () => {
    expect(assertPlainJson(nested(MAX_JSON_DEPTH))).toEqual([]);
    expect(assertPlainJson(nested(MAX_JSON_DEPTH + 1))).toHaveLength(1);
    expect(pathsIn(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toHaveLength(1);
  });

  it('writes paths as JSON Pointers', () => {
    expect(pathsIn('{"a/b":{"c~d":"\\u0000"}}')).toEqual(['/a~1b/c~0d']);
  });

  it('reports no more issues than anyone reads, and no endless key', () => {
    expect(assertPlainJson(Array.from({ length: 5000 }, () => '\u0000'))).toHaveLength(MAX_JSON_ISSUES);
    const [issue] = assertPlainJson({ ['k'.repeat(1_000_000)]: '\u0000' });
    expect(issue?.path.length).toBeLessThan(300);
  });
});
