import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseBeads } from '../../src/importing/beads.js';
import { readImport } from '../../src/importing/read-import.js';
import type { ImportRequest, ParseOptions } from '../../src/importing/import-request.js';
import { BEADS_SAMPLE } from './samples.js';

function request(issue: unknown, options: ParseOptions = {}): ImportRequest {
  const result = parseBeads(JSON.stringify(issue), 1, options);
  if (!result.ok) throw new Error(`${result.path}: ${result.message}`);
  return result.request;
}

const ISSUE = {
  id: 'sb-2',
  title: 'Paint the signal box',
  description: 'Two coats.',
  acceptance_criteria: 'No wood shows.',
  status: 'open',
  priority: 1,
  issue_type: 'task',
  labels: ['outside', 'care'],
  assignee: 'kim',
  created_at: '2026-01-01T08:00:00Z',
  updated_at: '2026-01-02T08:00:00Z',
  comment_count: 3,
  dependencies: [
    { issue_id: 'sb-2', depends_on_id: 'sb-1', type: 'blocks', created_at: '2026-01-01T08:00:00Z' },
    { issue_id: 'sb-2', depends_on_id: 'sb-0', type: 'parent-child', created_at: '2026-01-01T08:00:00Z' },
    { issue_id: 'sb-2', depends_on_id: 'sb-9', type: 'discovered-from', created_at: '2026-01-01T08:00:00Z' },
  ],
};

describe('issues of beads', () => {
  it('become works with their content as input and what they wait for as blockedBy', () => {
    expect(request(ISSUE)).toEqual({
      kind: 'generic',
      workId: 'sb-2',
      title: 'Paint the signal box',
      input: {
        title: 'Paint the signal box',
        description: 'Two coats.',
        acceptance_criteria: 'No wood shows.',
        status: 'open',
        issue_type: 'task',
        labels: ['care', 'outside'],
        parent: 'sb-0',
        links: ['discovered-from sb-9'],
      },
      source: 'beads:sb-2',
      priority: 1,
      blockedBy: ['sb-1'],
    });
  });

  it('are the same content when only times, counts, people or the order of a list changed', () => {
    const later = {
      ...ISSUE,
      updated_at: '2026-05-05T05:05:05Z',
      comment_count: 9,
      assignee: 'sam',
      agent_state: 'idle',
      labels: ['care', 'outside'],
      dependencies: ISSUE.dependencies.toReversed(),
    };
    expect(request(later).input).toEqual(request(ISSUE).input);
  });

  it.each(['title', 'description', 'acceptance_criteria', 'design', 'notes', 'status'])(
    'are other content when their %s changed',
    (field) => {
      expect(request({ ...ISSUE, [field]: 'changed' }).input).not.toEqual(request(ISSUE).input);
    },
  );

  it('take the kind that is asked for', () => {
    expect(request(ISSUE, { kind: 'chore' }).kind).toBe('chore');
  });

  it('name a blocker once, though it be recorded twice', () => {
    const [blocks] = ISSUE.dependencies;
    expect(request({ ...ISSUE, dependencies: [blocks, blocks] }).blockedBy).toEqual(['sb-1']);
  });

  it.each([
    ['no id', { title: 'a' }, '/id'],
    ['no title', { id: 'a' }, '/title'],
    ['a blank title', { id: 'a', title: '' }, '/title'],
    ['a priority in words', { id: 'a', title: 'b', priority: 'high' }, '/priority'],
    [
      'a dependency without target',
      { id: 'a', title: 'b', dependencies: [{ type: 'blocks' }] },
      '/dependencies/0/depends_on_id',
    ],
    [
      'a dependency without type',
      { id: 'a', title: 'b', dependencies: [{ depends_on_id: 'c' }] },
      '/dependencies/0/type',
    ],
    [
      "another issue's dependency",
      { id: 'a', title: 'b', dependencies: [{ issue_id: 'c', depends_on_id: 'd', type: 'blocks' }] },
      '/dependencies/0/issue_id',
    ],
    [
      'an issue that blocks itself',
      { id: 'a', title: 'b', dependencies: [{ depends_on_id: 'a', type: 'blocks' }] },
      '/blockedBy/0',
    ],
    ['labels that are no list', { id: 'a', title: 'b', labels: 'x' }, '/labels'],
  ])('are refused with %s', (_, issue, path) => {
    expect(parseBeads(JSON.stringify(issue), 5)).toMatchObject({ ok: false, line: 5, code: 'INVALID', path });
  });

  it('are read from a file line by line, and a bad line stops nothing', async () => {
    const results = [];
    for await (const result of readImport('beads', createReadStream(BEADS_SAMPLE))) results.push(result);
    expect(results.map((result) => (result.ok ? result.request.workId : `line ${result.line}`))).toEqual([
      'sb-1',
      'sb-2',
      'line 4',
      'sb-3',
    ]);
  });
});

const BACKLOG = new URL('../../../shared/data/backlog-beads.jsonl', import.meta.url);

describe('a real backlog', () => {
  it.skipIf(!existsSync(BACKLOG))(
    'of 704 issues and 377 blocks comes in whole, and twice the same',
    async () => {
      const requests: ImportRequest[] = [];
      for await (const result of readImport('beads', createReadStream(BACKLOG))) {
        expect(result).toMatchObject({ ok: true });
        if (result.ok) requests.push(result.request);
      }
      expect(requests).toHaveLength(704);
      expect(new Set(requests.map(({ workId }) => workId)).size).toBe(704);
      expect(requests.reduce((sum, { blockedBy = [] }) => sum + blockedBy.length, 0)).toBe(377);

      const again = readFileSync(BACKLOG, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => request(JSON.parse(line)));
      expect(again).toEqual(requests);
    },
  );
});
