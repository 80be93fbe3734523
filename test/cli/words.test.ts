import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exception } from '../basket/desk.js';
import { dataFolder, signalbox, type Folder } from './command.js';

/** What the command line says to the people who type it: each of these once sent somebody the wrong way. */
const LONG = { timeout: 240_000 };
const SHA = 'a'.repeat(64);

let folder: Folder;
beforeAll(async () => {
  folder = await dataFolder();
  await folder.run(['register', '--work-id', 'W-1', '--input', '{}']);
}, 120_000);
afterAll(() => folder.remove());

const plain = (...args: string[]) => signalbox([...args, '--data', folder.path]);

it('wrong usage of a verb in a group leads to the help of that very verb', LONG, async () => {
  for (const [words, help] of [
    [['switch', 'resume', 'claims'], 'signalbox switch resume --help'],
    [['token', 'revoke'], 'signalbox token revoke --help'],
    [['principal', 'add', 'x', '--role', 'bad'], 'signalbox principal add --help'],
    [['lst'], 'signalbox --help'],
  ] as const) {
    const { code, stderr } = await plain(...words);
    expect([words, code, stderr.includes(`See "${help}".`)]).toEqual([words, 2, true]);
  }
});

it('a word that is none of the choices is wrong usage, and the choices are named', LONG, async () => {
  const paused = await plain('switch', 'pause', 'foo', '--reason', 'x');
  expect([paused.code, paused.stderr]).toEqual([2, expect.stringContaining('intake, claims')]);
  const listed = await plain('list', '--status', 'FOO');
  expect([listed.code, listed.stderr]).toEqual([2, expect.stringContaining('DISCOVERED')]);
});

it('the help of a verb lists its own options, and no option that it does not heed', LONG, async () => {
  const root = await signalbox(['--help']);
  expect(root.stdout).toContain('--idempotency-key <key>');
  expect(root.stdout).toContain('who you are on the data folder');
  const claim = await signalbox(['claim', '--help']);
  expect(claim.stdout).not.toContain('who you are on the data folder');
  expect(claim.stdout).toContain('--as <principal>');
  const start = await signalbox(['start', '--help']);
  for (const option of ['--url', '--as', '--because', '--idempotency-key'])
    expect(start.stdout).not.toContain(option);
  expect((await plain('migrate', '--as', 'alice')).code).toBe(2);
});

it('switches that nobody turned have no table, and a pause says when to come back', LONG, async () => {
  const untouched = await plain('switch', 'show');
  expect(untouched.stdout).toMatch(/^intake runs, claims run; nobody has turned a switch yet\n$/);
  await plain('switch', 'pause', 'claims', '--reason', 'stock-taking');
  const refused = await plain('claim');
  expect(refused.stderr).toContain('next: It stays so until an operator resumes it');
  await plain('switch', 'resume', 'claims', '--reason', 'done');
  expect((await plain('switch', 'show')).stdout).toContain('stock-taking');
});

it('a claimed case leads to its decision, with everything the decision names', LONG, async () => {
  const file = join(folder.path, '..', 'exception.json');
  const operation = { version: 'order-7', sha256: SHA };
  const raised = exception('e-1', { summary: 'The price of paper', operation });
  await writeFile(file, JSON.stringify(raised));
  const { json: recorded } = await folder.run(['exception', 'record', file]);
  const { workId } = recorded.work as { workId: string };
  const newer = { ...raised, occurredAt: '2026-03-02T09:30:00Z' };
  await writeFile(file, JSON.stringify({ ...newer, evidence: [{ label: 'quote', body: { price: 18 } }] }));
  await folder.run(['exception', 'record', file]);

  const claimed = await plain('claim', workId);
  const interrupt = /interrupt +(\S+)/.exec(claimed.stdout)?.[1] ?? '';
  const decide = `signalbox exception decide ${workId} --interrupt ${interrupt} --input-version 2 --operation order-7:${SHA}`;
  expect(claimed.stderr).toContain(`next: ${decide}`);

  const shown = await plain('exception', 'show', workId);
  for (const text of [
    /summary +The price of paper/,
    /impact +high/,
    /urgency +medium/,
    new RegExp(`operation +order-7:${SHA}`),
    /done so far +\{"orderDrafted":true\}/,
    /evidence {2}quote .*the price is 17.*\(superseded, /,
    /evidence {2}quote +\{"price":18\} \(2/,
  ])
    expect(shown.stdout).toMatch(text);

  const result = join(folder.path, '..', 'result.txt');
  await writeFile(result, 'done');
  const wrong = await plain('submit', workId, '--interrupt', interrupt, '--file', result);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^next: .*exception decide/m)]);

  const history = await plain('history', workId);
  expect(history.stdout).toMatch(/submission\.accepted claim /);
  expect(history.stdout).toMatch(/submission\.\w+ result .*ACTION_NOT_ALLOWED/);
});

it('a version that never was is said never to have been', LONG, async () => {
  await plain('promote', 'W-1', '--reason', 'ours');
  const { json } = await folder.run(['claim', 'W-1']);
  const result = join(folder.path, '..', 'result.txt');
  await writeFile(result, 'done');
  const line = ['submit', 'W-1', '--interrupt', json.claim.interruptId as string, '--file', result];
  const refused = await plain(...line, '--input-version', '7');
  expect(refused.stderr).toContain('there is no input version 7; the current one is 1');
});
