import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dataFolder, signalbox, type Folder } from './command.js';

let folder: Folder;
beforeEach(async () => {
  folder = await dataFolder();
});
afterEach(() => folder.remove());

const bead = (id: string, title: string, more = {}): string =>
  JSON.stringify({ id, title, status: 'open', priority: 2, issue_type: 'task', ...more });

const BEADS = [
  bead('b-1', 'Build'),
  bead('b-2', 'Ship', { dependencies: [{ issue_id: 'b-2', depends_on_id: 'b-1', type: 'blocks' }] }),
].join('\n');

it('a beads file brings in its works and what blocks them; again, it changes nothing', async () => {
  const args = ['import', '-', '--format', 'beads'];
  const first = await folder.run(args, { input: BEADS });
  expect(first).toMatchObject({ code: 0, json: { lines: 2, created: 2, refused: 0 } });
  const before = (await folder.run(['show', 'b-2'])).json;
  expect(before).toMatchObject({ status: 'DISCOVERED', blockedBy: ['b-1'] });
  const second = await folder.run(args, { input: BEADS });
  expect(second).toMatchObject({ code: 0, json: { created: 0, existing: 2 } });
  expect((await folder.run(['show', 'b-2'])).json.updatedAt).toBe(before.updatedAt);
  expect((await folder.run(['list'])).json.total).toBe(2);
}, 60_000);

it('a line that is refused is told with its number and stops nothing', async () => {
  const input = `${bead('b-1', 'Build')}\nthis is no JSON\n${bead('b-3', 'Test')}`;
  const mixed = await folder.run(['import', '-', '--format', 'beads'], { input });
  expect(mixed.code).toBe(1);
  expect(mixed.json).toMatchObject({ created: 2, refused: 1, refusals: [{ line: 2, code: 'INVALID' }] });
  expect(mixed.stderr).toContain('INVALID: line 2');
}, 60_000);

it('GitHub issues come in as the gh tool prints them, registrations as JSON lines', async () => {
  const issues = await folder.run([
    'import',
    'test/importing/samples/github-issues.json',
    '--format',
    'github',
  ]);
  expect(issues.json.created).toBeGreaterThan(0);
  const input = '{"kind":"generic","workId":"j-1","input":{"n":1}}\n{"workId":"j-2","input":2}\n';
  const lines = await folder.run(['import', '-'], { input });
  expect(lines).toMatchObject({ code: 0, json: { created: 2 } });
}, 60_000);

const BACKLOG = resolve('../shared/data/backlog-beads.jsonl');

it.skipIf(!existsSync(BACKLOG))(
  'a backlog of hundreds comes in whole, twice',
  async () => {
    const lines = (await readFile(BACKLOG, 'utf8')).split('\n').filter((line) => line.trim() !== '').length;
    const first = await folder.run(['import', BACKLOG, '--format', 'beads']);
    expect(first.json).toMatchObject({ lines, created: lines });
    const second = await folder.run(['import', BACKLOG, '--format', 'beads']);
    expect(second.json).toMatchObject({ lines, existing: lines });
    console.log(`${lines} lines: ${first.json.elapsed_ms} ms, again ${second.json.elapsed_ms} ms`);
    const all = await signalbox(['list', '--all', '--json', '--data', folder.path]);
    expect(all.json.items).toHaveLength(lines);
  },
  120_000,
);
