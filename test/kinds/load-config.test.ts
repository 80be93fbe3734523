import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isConfigError } from '../../src/kinds/config-error.js';
import { defineConfig, loadKinds } from '../../src/kinds/load-config.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-config-test-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(cwd, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

async function messageOf(configPath?: string): Promise<string> {
  try {
    await loadKinds({ cwd, configPath });
  } catch (error) {
    if (isConfigError(error)) return error.message;
    throw error;
  }
  throw new Error('the config was taken');
}

const names = async (configPath?: string) => [...(await loadKinds({ cwd, configPath })).keys()];
const SHIPPED = ['generic', 'invoice-check', 'code-change', 'exception-case'];

describe('kinds come from', () => {
  it('the program alone, where the folder has no config file', async () => {
    expect(await names()).toEqual(SHIPPED);
  });

  it('a .json file with JSON Schemas, as a list', async () => {
    await file(
      'signalbox.config.json',
      JSON.stringify({ kinds: [{ name: 'memo', input: { type: 'object', required: ['text'] } }] }),
    );
    const kinds = await loadKinds({ cwd });
    expect([...kinds.keys()]).toEqual([...SHIPPED, 'memo']);
    expect(kinds.get('memo')?.inputCheck({})).toEqual([{ path: '/text', message: 'is required' }]);
  });

  it('a .json file by name, with a $schema beside', async () => {
    await file('signalbox.config.json', JSON.stringify({ $schema: 'x', kinds: { memo: { roundLimit: 5 } } }));
    expect((await loadKinds({ cwd })).get('memo')).toMatchObject({ name: 'memo', roundLimit: 5 });
  });

  it('an .mjs file that brings zod itself', async () => {
    const zod = pathToFileURL(join(process.cwd(), 'node_modules/zod/index.js')).href;
    await file(
      'signalbox.config.mjs',
      `import { z } from ${JSON.stringify(zod)};\nexport default { kinds: [{ name: 'memo', input: z.object({ text: z.string() }) }] };`,
    );
    expect((await loadKinds({ cwd })).get('memo')?.inputCheck({})[0]?.path).toBe('/text');
  });

  it('a .js file in a package of modules', async () => {
    await file('package.json', '{"type":"module"}');
    await file('signalbox.config.js', `export default { kinds: [{ name: 'memo' }] };`);
    expect(await names()).toContain('memo');
  });

  it('a .js file in CommonJS', async () => {
    await file('package.json', '{"type":"commonjs"}');
    await file('signalbox.config.js', `module.exports = { kinds: [{ name: 'memo' }] };`);
    expect(await names()).toContain('memo');
  });

  const typescript = `
    import { limit } from './limit.js';
    enum Stage { Review = 'VP_REVIEW' }
    const kinds: { name: string; roundLimit: number; skips: string[] }[] = [{ name: 'memo', roundLimit: limit, skips: [Stage.Review] }];
    export default { kinds };
  `;

  it.each([
    ['.ts in a package of modules', 'signalbox.config.ts', '{"type":"module"}'],
    ['.ts in a package of CommonJS', 'signalbox.config.ts', '{}'],
    ['.mts', 'signalbox.config.mts', '{}'],
  ])('a %s file, with enums and imports of other TypeScript', async (_what, name, manifest) => {
    await file('package.json', manifest);
    await file('limit.ts', 'export const limit: number = 7;');
    await file(name, typescript);
    expect((await loadKinds({ cwd })).get('memo')).toMatchObject({ roundLimit: 7, skips: ['VP_REVIEW'] });
  });

  it('the file that is named, relative to the folder, rather than the one that is found', async () => {
    await file('signalbox.config.json', '{"kinds":[{"name":"found"}]}');
    await file('other/kinds.json', '{"kinds":[{"name":"named"}]}');
    expect(await names('other/kinds.json')).toEqual([...SHIPPED, 'named']);
  });

  it('the first of several config files', async () => {
    await file('signalbox.config.json', '{"kinds":[{"name":"second"}]}');
    await file('signalbox.config.mjs', `export default { kinds: [{ name: 'first' }] };`);
    expect(await names()).toEqual([...SHIPPED, 'first']);
  });

  it('an empty config', async () => {
    await file('signalbox.config.json', '{}');
    expect(await names()).toEqual(SHIPPED);
  });
});

describe('a shipped kind', () => {
  it('is replaced by a declaration that says override', async () => {
    await file('signalbox.config.json', '{"kinds":[{"name":"generic","override":true,"roundLimit":9}]}');
    expect((await loadKinds({ cwd })).get('generic')?.roundLimit).toBe(9);
  });

  it('is not replaced by accident', async () => {
    await file('signalbox.config.json', '{"kinds":[{"name":"generic","roundLimit":9}]}');
    expect(await messageOf()).toMatch(/\/kinds\/0\/name: is a kind that ships.*override/);
  });

  it('is unchanged by what another load did', async () => {
    const path = await file('a.json', '{"kinds":[{"name":"generic","override":true,"roundLimit":9}]}');
    await loadKinds({ cwd, configPath: path });
    expect((await loadKinds({ cwd })).get('generic')?.roundLimit).toBe(3);
  });
});

describe('a wrong config is refused with file, path and what to do', () => {
  const json: [string, string, RegExp][] = [
    ['no JSON', '{"kinds": [', /is not JSON/],
    ['no object', '[]', /\(the whole\): must be an object/],
    ['an unknown field', '{"kind":[]}', /\/kind: is not a known field/],
    ['kinds as text', '{"kinds":"x"}', /\/kinds: must be a list of kinds, or an object/],
    ['a kind that is no object', '{"kinds":[1]}', /\/kinds\/0: must be an object/],
    ['a kind by name that is no object', '{"kinds":{"a":1}}', /\/kinds\/a: must be the declaration/],
    ['a name that is not its key', '{"kinds":{"a":{"name":"b"}}}', /\/kinds\/a\/name: must be "a"/],
    ['a key that is no name', '{"kinds":{"__proto__":{}}}', /\/kinds\/__proto__\/name: must be lower-case/],
    [
      'a fault inside a kind',
      '{"kinds":[{"name":"a"},{"name":"b","lease":{"lease_ms":0}}]}',
      /kind "b".*\n.*\/kinds\/1\/lease\/lease_ms: must be a whole number/,
    ],
    [
      'one name twice',
      '{"kinds":[{"name":"a"},{"name":"a"}]}',
      /\/kinds\/1\/name: is declared already at \/kinds\/0/,
    ],
    [
      'override that is no yes or no',
      '{"kinds":[{"name":"generic","override":"yes"}]}',
      /\/kinds\/0\/override: must be true or false/,
    ],
    [
      'override of nothing',
      '{"kinds":[{"name":"generics","override":true}]}',
      /\/kinds\/0\/override: there is no shipped kind/,
    ],
  ];

  it.each(json)('%s', async (_what, text, pattern) => {
    const path = await file('signalbox.config.json', text);
    const message = await messageOf();
    expect(message).toMatch(pattern);
    expect(message).toContain(path);
  });

  it('names the faults of all kinds at once', async () => {
    await file('signalbox.config.json', '{"kinds":[{"name":"A"},{"name":"b","roundLimit":0}]}');
    expect(await messageOf()).toMatch(/\/kinds\/0\/name[^]*\/kinds\/1\/roundLimit/);
  });

  it('a file that is named but missing', async () => {
    expect(await messageOf('nowhere.json')).toMatch(/nowhere\.json: [^]*there is no such file/);
  });

  it('a format that we do not read', async () => {
    await file('kinds.yaml', 'kinds: []');
    expect(await messageOf('kinds.yaml')).toMatch(/use \.ts, \.mts, \.mjs, \.js or \.json/);
  });

  it.each([
    ['no default export', 'signalbox.config.mjs', 'export const kinds = [];', /has no default export/],
    [
      'a file that throws',
      'signalbox.config.mjs',
      'throw new Error("no database");',
      /failed while it ran .*no database/,
    ],
    [
      'a missing import',
      'signalbox.config.mjs',
      'import "no-such-package";',
      /not installed beside it .*no-such-package/,
    ],
    ['TypeScript that does not parse', 'signalbox.config.ts', 'export default {', /failed while it ran/],
    [
      'a missing import in TypeScript',
      'signalbox.config.mts',
      'import "no-such-package";',
      /not installed beside it .*no-such-package/,
    ],
  ])('%s', async (_what, name, text, pattern) => {
    const path = await file(name, text);
    const message = await messageOf();
    expect(message).toMatch(pattern);
    expect(message).toContain(path);
  });

  it('the result of defineKind instead of the declaration, even from a second copy of Signalbox', async () => {
    const source = pathToFileURL(join(process.cwd(), 'src/kinds/define-kind.ts')).href;
    await file(
      'signalbox.config.mts',
      `import { defineKind } from ${JSON.stringify(source)};\nexport default { kinds: [defineKind({ name: 'memo' })] };`,
    );
    expect(await messageOf()).toMatch(/\/kinds\/0: is the result of defineKind/);
  });

  it('a fault that a second copy of Signalbox found while the file ran', async () => {
    const source = pathToFileURL(join(process.cwd(), 'src/kinds/define-kind.ts')).href;
    const path = await file(
      'signalbox.config.mts',
      `import { defineKind } from ${JSON.stringify(source)};\nexport default { kinds: [defineKind({ name: 'Bad' })] };`,
    );
    const message = await messageOf();
    expect(message).toMatch(/\/name: must be lower-case/);
    expect(message).toContain(path);
  });
});

it('defineConfig gives back what it is given', () => {
  const config = { kinds: [{ name: 'memo' }] };
  expect(defineConfig(config)).toBe(config);
});

it('a command beside the config file is found, wherever the validator runs', async () => {
  await file(
    'sub/kinds.json',
    JSON.stringify({ kinds: [{ name: 'memo', validators: [{ type: 'command', command: ['./check.sh'] }] }] }),
  );
  expect((await loadKinds({ cwd, configPath: 'sub/kinds.json' })).get('memo')?.validators[0]).toMatchObject({
    command: [join(cwd, 'sub/check.sh')],
  });
});
