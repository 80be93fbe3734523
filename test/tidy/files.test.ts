import { describe, expect, it } from 'vitest';
import { filesUnder, isNode, lineAt, programsUnder, textOf, visit } from './source-files.js';

const LINES_LIMIT = 300;
const DRAWERS = new Set(['util', 'utils', 'helper', 'helpers', 'lib', 'common', 'misc']);

/** Places on the machine of whoever wrote the line. Split here so that this file does not name them. */
const MACHINE_PATHS = [
  ['', 'root', ''],
  ['', 'tmp', ''],
  ['', 'work', 'main'],
  ['', 'work', 'shared'],
  ['', 'work', '.library'],
].map((parts) => parts.join('/'));

const REGISTRY_HOSTS = [
  ['registry', 'npmjs', 'org'],
  ['npmjs', 'com'],
  ['yarnpkg', 'com'],
  ['npmmirror', 'com'],
  ['npm', 'pkg', 'github', 'com'],
  ['deb', 'debian', 'org'],
  ['security', 'debian', 'org'],
  ['archive', 'ubuntu', 'com'],
  ['pypi', 'org'],
  ['pythonhosted', 'org'],
  ['proxy', 'golang', 'org'],
].map((parts) => parts.join('.'));

const NOT_TEXT = /\.(png|jpe?g|gif|ico|woff2?|pdf|gz|sqlite)$/;

function linesWith(path: string, needles: readonly string[]): string[] {
  return textOf(path)
    .split('\n')
    .flatMap((line, index) =>
      needles.filter((needle) => line.includes(needle)).map((needle) => `${path}:${index + 1}: ${needle}`),
    );
}

function isDrawer(name: string): boolean {
  return DRAWERS.has(name.replace(/(\.test)?\.\w+$/, '').toLowerCase());
}

describe('names and sizes', () => {
  it('nothing is named after a drawer, because what has no subject collects everything', () => {
    const all = ['src', 'test', 'bench'].flatMap((folder) => filesUnder(folder));
    expect(all.filter((path) => path.split('/').some(isDrawer))).toEqual([]);
  });

  it(`no file of src is longer than ${LINES_LIMIT} lines, because one exported idea fits in less`, () => {
    const long = programsUnder('src').flatMap((path) => {
      const lines = textOf(path).trimEnd().split('\n').length;
      return lines > LINES_LIMIT ? [`${path}: ${lines} lines; split it by subject`] : [];
    });
    expect(long).toEqual([]);
  });
});

describe('ways around the checks', () => {
  const programs = ['src', 'test', 'bench'].flatMap((folder) => programsUnder(folder));

  it('no cast to any, because it takes away the types of everything after it', () => {
    expect(programs.flatMap((path) => castsToAny(path, textOf(path)))).toEqual([]);
    expect(castsToAny('x.ts', 'f(x as any); // as any')).toHaveLength(1);
  });

  it('no comment that silences the compiler, because it also silences what comes later; say ts-expect-error and why', () => {
    const silencers = ['ignore', 'nocheck'].map((word) => `@ts-${word}`);
    expect(programs.flatMap((path) => linesWith(path, silencers))).toEqual([]);
  });

  it('no test is left out or run alone by hand, because it would stay so; skipIf states its condition', () => {
    expect(programsUnder('test').flatMap((path) => handPicked(path, textOf(path)))).toEqual([]);
    const picked = `it.only('a', f); describe.skip('b', f); it.skip.each([1])('c', f); it.todo('d');`;
    expect(handPicked('x.ts', picked)).toHaveLength(4);
    expect(handPicked('x.ts', `it.skipIf(x)('a', f); it.runIf(x)('b', f); // it.only(`)).toEqual([]);
  });
});

function castsToAny(path: string, text: string): string[] {
  const found: string[] = [];
  visit(text, path, (node) => {
    const cast = node.type === 'TSAsExpression' || node.type === 'TSTypeAssertion';
    const type = node['typeAnnotation'];
    if (cast && isNode(type) && type.type === 'TSAnyKeyword') found.push(lineAt(path, text, node.start));
  });
  return found;
}

const HAND_PICKING = new Set(['only', 'skip', 'todo']);

function handPicked(path: string, text: string): string[] {
  const found: string[] = [];
  visit(text, path, (node, place) => {
    const property = node['property'];
    if (node.type !== 'MemberExpression' || !isNode(property) || !HAND_PICKING.has(String(property['name'])))
      return;
    const called = place.parent?.type === 'CallExpression' && place.field === 'callee';
    const chained = place.parent?.type === 'MemberExpression' && place.field === 'object';
    if (called || chained) found.push(`${lineAt(path, text, node.start)}: .${String(property['name'])}`);
  });
  return found;
}

describe('what belongs to one machine', () => {
  it("no path of the author's machine in src, docs or README, because it exists nowhere else", () => {
    const told = [...filesUnder('src'), ...filesUnder('docs'), 'README.md'].filter(
      (path) => !NOT_TEXT.test(path),
    );
    const existing = new Set(filesUnder(''));
    expect(
      told.filter((path) => existing.has(path)).flatMap((path) => linesWith(path, MACHINE_PATHS)),
    ).toEqual([]);
  });

  it('no registry host anywhere, because whoever installs decides where packages come from', () => {
    const all = filesUnder('').filter((path) => !NOT_TEXT.test(path));
    expect(all.flatMap((path) => linesWith(path, REGISTRY_HOSTS))).toEqual([]);
    const lock = textOf('package-lock.json').match(/"resolved": "http/g) ?? [];
    expect(lock, 'make the lock with omit-lockfile-registry-resolved').toEqual([]);
  });
});
