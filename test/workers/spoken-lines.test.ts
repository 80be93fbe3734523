import { expect, it } from 'vitest';
import { spokenLine } from '../../src/workers/spoken-lines.js';

it.each([
  [
    'progress 3/10 read the lines',
    { what: 'progress', progress: { done: 3, total: 10, note: 'read the lines' } },
  ],
  ['progress 3 / 10', { what: 'progress', progress: { done: 3, total: 10 } }],
  ['progress 0.5', { what: 'progress', progress: { done: 0.5 } }],
  ['progress reading', { what: 'progress', progress: { note: 'reading' } }],
  [`head-sha ${'a'.repeat(40)}`, { what: 'head-sha', headSha: 'a'.repeat(40) }],
  ['item INV-7', { what: 'item', item: 'INV-7' }],
  ['  progress 1/2  ', { what: 'progress', progress: { done: 1, total: 2 } }],
])('%j is heard', (line, said) => {
  expect(spokenLine(line)).toEqual(said);
});

it.each(['', 'progress', 'in progress 3/10', 'head-sha abc', 'item', `head-sha ${'A'.repeat(40)}`])(
  '%j is a word for the log',
  (line) => {
    expect(spokenLine(line)).toBeNull();
  },
);
