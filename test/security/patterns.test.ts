import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.js';
import { compileSchema } from '../../src/kinds/schema-check.js';
import { Markdown } from '../../src/surfaces/cockpit/markdown.js';
import { programsUnder, textOf, visit } from '../tidy/source-files.js';

/** A pattern that takes longer than this on a long text goes over it again and again. */
const LONGEST_ms = 400;
const LENGTH = 30_000;

interface Pattern {
  readonly at: string;
  readonly pattern: RegExp;
}

/** Every regular expression that is written in src. */
function patterns(): Pattern[] {
  return programsUnder('src').flatMap((path) => {
    const found: Pattern[] = [];
    visit(textOf(path), path, (node) => {
      const regex = node['regex'] as { pattern: string; flags: string } | undefined;
      if (node.type === 'Literal' && regex)
        found.push({ at: `${path} /${regex.pattern}/`, pattern: new RegExp(regex.pattern, regex.flags) });
    });
    return found;
  });
}

/** Long texts that a pattern begins to match again and again, and that fail at their end. */
function attacks(pattern: RegExp): string[] {
  const words = pattern.source.match(/[A-Za-z]{2,}|[^\\\w\s]/g) ?? [];
  const parts = [
    ' ',
    '\t',
    '\n',
    'a',
    '0',
    '0.',
    'a-',
    '-',
    '.',
    '/',
    '[',
    '<',
    '&',
    '=',
    '"',
    'é',
    '\u001b',
    ...words,
  ];
  return parts.flatMap((part) => {
    const long = part.repeat(Math.ceil(LENGTH / part.length));
    return [long, `${long}!`, `x${long}\n\u0000`, `${words.join('')}${long}\u0000`];
  });
}

describe('regular expressions', () => {
  it('of src take time in proportion to the text, whatever it is', { timeout: 120_000 }, () => {
    const all = patterns();
    expect(all.length).toBeGreaterThan(50);
    const slow = all.flatMap(({ at, pattern }) => {
      let worst_ms = 0;
      for (const text of attacks(pattern)) {
        const begun = performance.now();
        pattern.lastIndex = 0;
        if (pattern.global) text.replaceAll(pattern, '');
        else pattern.test(text);
        worst_ms = Math.max(worst_ms, performance.now() - begun);
        if (worst_ms > LONGEST_ms) break;
      }
      return worst_ms > LONGEST_ms ? [`${at}: ${Math.round(worst_ms)} ms`] : [];
    });
    expect(slow).toEqual([]);
  });

  it('of a kind come from the project’s own file; a work brings values and never a schema', () => {
    const check = compileSchema({ type: 'object', properties: { a: { type: 'string' } } });
    const given = {
      a: 'x',
      $schema: 'http://evil.test/',
      pattern: '(a+)+$',
      properties: { a: { pattern: '(a+)+$' } },
    };
    expect(check(given)).toEqual([]);
  });
});

describe('Markdown that a worker brings', () => {
  const parts = [
    '[',
    '*a ',
    '_a_ ',
    'a_',
    '__a',
    '`',
    '> ',
    '- ',
    '1. ',
    '<a ',
    '![',
    '](',
    '|a|\n|-|\n',
    '~~',
    'a@',
    '[x]: ',
    '- [ ] ',
  ];
  it.each(parts.map((part) => [part.trim(), part]))(
    'repeated %j: the page is there in time',
    async (_name, part) => {
      const text = part.repeat(LIMITS.rendered_bytes / part.length);
      const begun = performance.now();
      expect(typeof String(await Markdown({ text }))).toBe('string');
      expect(performance.now() - begun).toBeLessThan(10 * LIMITS.rendered_ms);
    },
  );
});
