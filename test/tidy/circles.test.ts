import { expect, it } from 'vitest';
import { circles } from './circles.js';
import { importsOf, programsUnder } from './source-files.js';

it('no file of src reaches itself through imports, type imports included, because such files cannot be read alone', () => {
  const edges = new Map(
    programsUnder('src').map((path) => [
      path,
      importsOf(path).flatMap(({ target }) => (target === null ? [] : [target])),
    ]),
  );
  expect(circles(edges).map((files) => files.join(' <-> '))).toEqual([]);
});

it('circles are found, of any length, and a shared import is none', () => {
  expect(circlesOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] })).toEqual([]);
  expect(circlesOf({ a: ['a'] })).toEqual([['a']]);
  expect(circlesOf({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'] })).toEqual([
    ['d', 'e'],
    ['a', 'b', 'c'],
  ]);
});

function circlesOf(edges: Record<string, string[]>): string[][] {
  return circles(new Map(Object.entries(edges)));
}
