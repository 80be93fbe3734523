import { expect, it } from 'vitest';
import { isNode, lineAt, programsUnder, textOf, visit, type Place, type SyntaxNode } from './source-files.js';

const PURE_FOLDERS = ['src/core', 'src/importing'];

/** Globals that reach outside the program, or give another answer each time. */
const IMPURE = new Set([
  'process',
  'globalThis',
  'performance',
  'crypto',
  'console',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'require',
]);

/** What is impure about a node, or null. */
function impurity(node: SyntaxNode, place: Place): string | null {
  if (node.type === 'MemberExpression') {
    const name = `${nameOf(node['object'])}.${nameOf(node['property'])}`;
    return name === 'Date.now' || name === 'Math.random' ? name : null;
  }
  const makesDate = node.type === 'NewExpression' && nameOf(node['callee']) === 'Date';
  if (makesDate && Array.isArray(node['arguments']) && node['arguments'].length === 0) return 'new Date()';
  if (node.type === 'CallExpression' && nameOf(node['callee']) === 'Date') return 'Date()';
  const isName =
    place.field === 'key' || (place.field === 'property' && place.parent?.['computed'] === false);
  return node.type === 'Identifier' && !isName && IMPURE.has(nameOf(node)) ? nameOf(node) : null;
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node['name'] === 'string' ? node['name'] : '';
}

function impuritiesOf(path: string, text: string): string[] {
  const found: string[] = [];
  visit(text, path, (node, place) => {
    const what = impurity(node, place);
    if (what !== null) found.push(`${lineAt(path, text, node.start)}: ${what}`);
  });
  return found;
}

it.each(PURE_FOLDERS)(
  '%s has no clock, no randomness and no process, because the same facts must always give the same answer',
  (folder) => {
    expect(programsUnder(folder).flatMap((path) => impuritiesOf(path, textOf(path)))).toEqual([]);
  },
);

it('impurities are found, and words that only look like them are none', () => {
  const impure = 'Date.now(); Math.random(); process.env; new Date(); fetch; a[process];';
  expect(impuritiesOf('x.ts', impure)).toHaveLength(6);
  const pure = `new Date(0); Date.UTC(2026, 0); x.process; x.now; const y = { console: 1 }; // Date.now()`;
  expect(impuritiesOf('x.ts', pure)).toEqual([]);
});
