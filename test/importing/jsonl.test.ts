import { describe, expect, it } from 'vitest';
import { parseJsonl } from '../../src/importing/jsonl.js';

function parsed(value: unknown, kind?: string) {
  return parseJsonl(JSON.stringify(value), 7, kind === undefined ? {} : { kind });
}

/** Path of what is wrong, or null when nothing is. */
function wrong(value: unknown): string | null {
  const result = parsed(value);
  return result.ok ? null : result.path;
}

const WORK = { kind: 'generic', workId: 'w-1', input: { task: 'count' } };

describe('our own lines', () => {
  it('take the body of POST /works as it is', () => {
    const body = {
      ...WORK,
      title: 'Count',
      source: 'mail:17',
      impact: 'high',
      urgency: 'low',
      priority: 3,
      dueAt: '2026-03-31T17:00:00.000Z',
      blockedBy: ['w-0'],
      correction: { reason: 'a digit was wrong' },
    };
    expect(parsed(body)).toEqual({ ok: true, line: 7, request: body });
  });

  it('leave out what is null or empty', () => {
    const result = parsed({ ...WORK, title: null, priority: null, blockedBy: [], correction: null });
    expect(result).toEqual({ ok: true, line: 7, request: WORK });
  });

  it('take the kind from the options only where the line has none', () => {
    const { kind: _, ...kindless } = WORK;
    expect(parsed(kindless, 'invoice-check')).toMatchObject({ request: { kind: 'invoice-check' } });
    expect(parsed(WORK, 'invoice-check')).toMatchObject({ request: { kind: 'generic' } });
    expect(wrong(kindless)).toBe('/kind');
  });

  it('take any JSON as input but not its absence', () => {
    expect(wrong({ ...WORK, input: null })).toBeNull();
    expect(wrong({ ...WORK, input: [1] })).toBeNull();
    expect(wrong({ kind: 'generic' })).toBe('/input');
  });

  it('name each blocker once and keep their order', () => {
    expect(parsed({ ...WORK, blockedBy: ['b', 'a', 'b'] })).toMatchObject({
      request: { blockedBy: ['b', 'a'] },
    });
  });

  it('bring times to UTC and refuse days that do not exist', () => {
    expect(parsed({ ...WORK, dueAt: '2026-04-01T01:30:00+02:00' })).toMatchObject({
      request: { dueAt: '2026-03-31T23:30:00.000Z' },
    });
    for (const dueAt of [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-04-01',
      '2026-04-01T00:00:00',
      'soon',
      '',
    ]) {
      expect(wrong({ ...WORK, dueAt })).toBe('/dueAt');
    }
    expect(wrong({ ...WORK, dueAt: '2028-02-29T00:00:00Z' })).toBeNull();
  });

  it.each([
    ['not an object', [1], ''],
    ['an unknown field', { ...WORK, blockedby: [] }, '/blockedby'],
    ['a number as workId', { ...WORK, workId: 1 }, '/workId'],
    ['a blank workId', { ...WORK, workId: ' ' }, '/workId'],
    ['an endless workId', { ...WORK, workId: 'x'.repeat(201) }, '/workId'],
    ['a broken priority', { ...WORK, priority: 1.5 }, '/priority'],
    ['a priority as text', { ...WORK, priority: '1' }, '/priority'],
    ['blockers that are no list', { ...WORK, blockedBy: 'w-0' }, '/blockedBy'],
    ['a blocker that is no text', { ...WORK, blockedBy: ['w-0', 1] }, '/blockedBy/1'],
    ['a work that blocks itself', { ...WORK, blockedBy: ['w-0', 'w-1'] }, '/blockedBy/1'],
    [
      'too many blockers',
      { ...WORK, blockedBy: Array.from({ length: 501 }, (_, n) => `b${n}`) },
      '/blockedBy',
    ],
    ['a correction without reason', { ...WORK, correction: {} }, '/correction'],
    ['a control character', { ...WORK, input: { a: ['\u0000'] } }, '/input/a/0'],
    ['a serialised object', { ...WORK, input: { lc: 1, type: 'constructor' } }, '/input'],
  ])('refuse %s', (_, value, path) => {
    expect(parsed(value)).toMatchObject({ ok: false, line: 7, code: 'INVALID', path });
  });

  it('refuse what is not JSON, and __proto__ with its path', () => {
    expect(parseJsonl('{"kind":', 3)).toMatchObject({ ok: false, line: 3, code: 'INVALID', path: '' });
    const hidden = '{"kind":"generic","input":{"__proto__":{"x":1}}}';
    expect(parseJsonl(hidden, 4)).toMatchObject({ ok: false, line: 4, path: '/input/__proto__' });
  });
});
