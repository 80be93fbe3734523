import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withFigures, type Results } from '../../bench/speed-page.js';

const page = readFileSync('docs/speed.md', 'utf8');
const results = JSON.parse(readFileSync('bench/results.json', 'utf8')) as Results;

describe('the page on speed', () => {
  it('shows what the last run of the bench has written, and nothing else', () => {
    expect(withFigures(page, results)).toBe(page);
  });

  it('is refused where it has no place for figures', () => {
    expect(() => withFigures('# Speed', results)).toThrow('no place');
  });
});
