import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataFolder, signalbox, type Folder } from './command.js';

let folder: Folder;
beforeAll(async () => {
  folder = await dataFolder();
  await folder.run(['register', '--work-id', 'A-1', '--input', '{}']);
});
afterAll(() => folder.remove());

describe('1, refused', () => {
  it('the code is the first word on stderr, and what to do next stands there', async () => {
    const refused = await signalbox(['show', 'NOBODY'], { env: { SIGNALBOX_DATA: folder.path } });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/^NOT_FOUND: /);
    expect(refused.stderr).toMatch(/^next: /m);
  });

  it('with --json stdout carries the refusal as one object', async () => {
    const refused = await folder.run(['decide', 'A-1', '--interrupt', 'x', ...DECISION]);
    expect(refused).toMatchObject({
      code: 1,
      json: { error: { code: 'STALE_INTERRUPT', status: 409, current: { status: 'DISCOVERED' } } },
    });
  });

  it('a principal nobody has added may do nothing', async () => {
    expect((await folder.run(['list', '--as', 'stranger'])).code).toBe(1);
  });
});

const DECISION = ['--artifact', 'none', '--action', 'pay', '--decision', 'approve', '--reason', 'fine'];

describe('2, wrong usage', () => {
  it.each([
    ['no such verb', ['lst']],
    ['an argument missing', ['show']],
    ['an argument too many', ['show', 'A-1', 'A-2']],
    ['no such option', ['list', '--colour']],
    ['a choice that is none', ['list', '--sort', 'name']],
    ['a number that is none', ['list', '--limit', 'many']],
    ['no input', ['register', '--work-id', 'B']],
    ['an input that is no JSON', ['register', '--input', '{']],
    ['a file that is not there', ['register', '--file', 'nowhere.json']],
    ['an import that is not there', ['import', 'nowhere.jsonl']],
    ['a needed option missing', ['hold', 'A-1']],
    ['a key without the wait it is for', ['hold', 'A-1', '--reason', 'x', '--idempotency-key', 'k']],
    ['nothing to promote', ['promote', '--reason', 'x']],
    ['acting for somebody without saying why', ['list', '--on-behalf-of', 'alice']],
    ['a role that is none', ['principal', 'add', 'x', '--role', 'king']],
    ['a verb of a group that is none', ['token', 'make']],
  ])('%s', async (_, args) => {
    const wrong = await folder.run(args);
    expect(wrong.code).toBe(2);
    expect(wrong.json).toMatchObject({ error: { code: 'USAGE' } });
    expect(wrong.stderr).not.toBe('');
    expect(wrong.stderr).not.toContain('    at ');
  });

  it.each([
    ['submit', []],
    ['review', ['--verdict', 'PASS']],
    ['decide', DECISION],
  ])('%s without --interrupt says where the interrupt ID stands', async (verb, more) => {
    const wrong = await folder.run([verb, 'A-1', ...more]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('signalbox show A-1');
  });

  it('review without --artifact does not take whatever is current', async () => {
    const wrong = await folder.run(['review', 'A-1', '--interrupt', 'x', '--verdict', 'PASS']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--artifact');
  });
});

describe('3, cannot reach or open', () => {
  it('a server that is not there', async () => {
    const env = { SIGNALBOX_URL: 'http://127.0.0.1:1', SIGNALBOX_TOKEN: 'x' };
    const unreachable = await signalbox(['list', '--json'], { env });
    expect(unreachable.code).toBe(3);
    expect(unreachable.stderr).toContain('http://127.0.0.1:1');
  });

  it('a folder without data is not made by looking at it', async () => {
    const empty = join(folder.path, 'empty');
    const missing = await signalbox(['list', '--data', empty]);
    expect(missing.code).toBe(3);
    expect(missing.stderr).toContain('signalbox start');
    expect((await signalbox(['list', '--data', empty])).code).toBe(3);
  });

  it('a database that is none', async () => {
    const broken = join(folder.path, 'broken');
    await mkdir(broken);
    await writeFile(join(broken, 'signalbox.db'), 'this is no database, whatever its name says '.repeat(200));
    const cannot = await signalbox(['list', '--data', broken]);
    expect(cannot.code).toBe(3);
    expect(cannot.stderr).not.toContain('    at ');
  });

  it('a configuration that is wrong', async () => {
    const config = join(folder.path, 'signalbox.config.json');
    await writeFile(config, '{"kinds": 7}');
    const cannot = await folder.run(['list'], { env: { SIGNALBOX_CONFIG: config } });
    expect(cannot.code).toBe(3);
    expect(cannot.json.error.code).toBe('CONFIG_ERROR');
  });
});
