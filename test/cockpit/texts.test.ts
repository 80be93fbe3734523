import { describe, expect, it } from 'vitest';
import { REFUSALS } from '../../src/core/refusals.js';
import { ACTIONS } from '../../src/core/transitions.js';
import { STATUSES } from '../../src/core/work.js';
import { CATALOGUES, languageOf, sayIn } from '../../src/surfaces/cockpit/language.js';
import { refusalsJa } from '../../src/surfaces/cockpit/texts/refusals-ja.js';
import { filesUnder, textOf } from '../tidy/source-files.js';

const { en, ja } = CATALOGUES;
const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('the catalogues', () => {
  it('have the same keys, and each text the same values to fill in', () => {
    expect(Object.keys(ja).toSorted()).toEqual(Object.keys(en).toSorted());
    for (const [key, text] of Object.entries(en)) {
      expect([key, placeholders(ja[key as keyof typeof ja])]).toEqual([key, placeholders(text)]);
    }
  });

  it('name every status and every action of the table', () => {
    const keys = Object.keys(en);
    for (const status of STATUSES) expect(keys).toContain(`status.${status}`);
    for (const action of ACTIONS)
      expect(keys).toEqual(expect.arrayContaining([`act.${action}`, `did.${action}`]));
  });

  it('have Japanese words for every refusal', () => {
    expect(Object.keys(refusalsJa).toSorted()).toEqual(Object.keys(REFUSALS).toSorted());
  });

  it('hold nothing that no page says', () => {
    const pages = filesUnder('src/surfaces/cockpit')
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('/texts/'))
      .map(textOf)
      .join('\n');
    // Families whose members are named by data: the name of a field, of a section, of an event.
    const byData = /^(did|sort|outcome|finding|gates|reviews)\./;
    const unused = Object.keys(en).filter((key) => {
      const family = key.slice(0, key.lastIndexOf('.') + 1);
      return !pages.includes(`'${key}'`) && !pages.includes(`\`${family || '-'}\${`) && !byData.test(key);
    });
    expect(unused).toEqual([]);
  });
});

describe('the language of a page', () => {
  it('is the chosen one, else the best that the browser asks for, else English', () => {
    expect(languageOf('ja', 'en')).toBe('ja');
    expect(languageOf('xx', 'ja-JP,ja;q=0.9,en;q=0.8')).toBe('ja');
    expect(languageOf(undefined, 'fr, en;q=0.4, ja;q=0.7')).toBe('ja');
    expect(languageOf(undefined, 'ja;q=0, de')).toBe('en');
    expect(languageOf('__proto__', 'constructor')).toBe('en');
    expect(languageOf(undefined, undefined)).toBe('en');
  });

  it('fills in values as they are, whatever they look like', () => {
    expect(sayIn('en')('list.more', { shown: 1, total: '{shown}$&' })).toBe('Showing 1 of {shown}$&');
  });
});
