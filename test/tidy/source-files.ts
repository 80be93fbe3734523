import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** What .gitignore keeps out, and the folders of tools. */
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', 'test-artifacts']);
const OWN_DOT_FOLDERS = new Set(['.ci', '.github']);

/** Every file of the project below a folder ('' for all), as paths from the root, in order. */
export function filesUnder(folder: string): string[] {
  const entries = readFolder(join(ROOT, folder));
  return entries
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) return [path];
      const hidden = entry.name.startsWith('.') && !OWN_DOT_FOLDERS.has(entry.name);
      return entry.isDirectory() && !NOT_OURS.has(entry.name) && !hidden ? filesUnder(path) : [];
    })
    .toSorted();
}

function readFolder(path: string): ReturnType<typeof entriesOf> {
  try {
    return entriesOf(path);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}

const entriesOf = (path: string) => readdirSync(path, { withFileTypes: true });

export function programsUnder(folder: string): string[] {
  return filesUnder(folder).filter((path) => /\.tsx?$/.test(path));
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** A node of the syntax tree (ESTree with TypeScript's additions), as far as these tests look at it. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Where a node hangs: its parent, and the parent's field that holds it. */
export interface Place {
  readonly parent: SyntaxNode | null;
  readonly field: string;
}

/** Calls back for every node of a program, parents first. */
export function visit(text: string, path: string, see: (node: SyntaxNode, place: Place) => void): void {
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode;
  const walk = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, place);
    if (!isNode(value)) return;
    see(value, place);
    for (const [field, member] of Object.entries(value)) walk(member, { parent: value, field });
  };
  walk(program, { parent: null, field: '' });
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** `path:line` of a position, for people to click. */
export function lineAt(path: string, text: string, position: number): string {
  return `${path}:${text.slice(0, position).split('\n').length}`;
}

export interface Import {
  readonly file: string;
  readonly where: string;
  /** As written: './work.js', 'node:crypto', 'zod'. */
  readonly specifier: string;
  /** The project file it leads to; null for a package. */
  readonly target: string | null;
  /** True where only types are taken, so nothing is left of it when the program runs. */
  readonly typeOnly: boolean;
  /** Names taken; '*' for everything. */
  readonly names: readonly string[];
}

/** All imports of a file: static, re-exports, `import()`, and `import('…').Type`. */
export function importsOf(path: string, text: string = textOf(path)): Import[] {
  const found: Import[] = [];
  visit(text, path, (node) => {
    const source = isNode(node['source']) ? node['source']['value'] : undefined;
    if (typeof source !== 'string') return;
    found.push({
      file: path,
      where: lineAt(path, text, node.start),
      specifier: source,
      target: source.startsWith('.') ? resolved(path, source) : null,
      typeOnly: isTypeOnly(node),
      names: namesOf(node),
    });
  });
  return found;
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (node.type === 'TSImportType') return true;
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  const specifiers = specifiersOf(node);
  return (
    specifiers.length > 0 &&
    specifiers.every((one) => one['importKind'] === 'type' || one['exportKind'] === 'type')
  );
}

function namesOf(node: SyntaxNode): string[] {
  if (!('specifiers' in node)) return ['*'];
  return specifiersOf(node).map((one) => {
    if (one.type === 'ImportDefaultSpecifier') return 'default';
    const name = one.type === 'ImportSpecifier' ? one['imported'] : one['local'];
    return one.type === 'ImportNamespaceSpecifier' || !isNode(name)
      ? '*'
      : String(name['name'] ?? name['value']);
  });
}

function specifiersOf(node: SyntaxNode): SyntaxNode[] {
  const { specifiers } = node;
  return Array.isArray(specifiers) ? specifiers.filter(isNode) : [];
}

/** The source file that a relative specifier names: `./a.js` is `a.ts` or `a.tsx`. */
function resolved(from: string, specifier: string): string {
  const path = normalize(join(dirname(from), specifier));
  if (!path.endsWith('.js')) return path;
  const base = path.slice(0, -'.js'.length);
  const folder = readFolder(join(ROOT, dirname(path))).map((entry) => `${dirname(path)}/${entry.name}`);
  return folder.includes(`${base}.tsx`) ? `${base}.tsx` : `${base}.ts`;
}
