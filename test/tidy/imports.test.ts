import { describe, expect, it } from 'vitest';
import { ENTRY_POINTS, IMPORT_RULES, PARTS, type ImportRule, type Part } from './import-rules.js';
import { importsOf, programsUnder, type Import } from './source-files.js';

function partOf(path: string): Part | undefined {
  return (Object.keys(PARTS) as Part[]).find((part) => {
    const prefix = PARTS[part];
    return prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix;
  });
}

/** Why a rule turns an import away, or null. */
function objection(rule: ImportRule, found: Import): string | null {
  if (found.target === null) {
    if (rule.packages === undefined || found.typeOnly) return null;
    const allowed = rule.packages[found.specifier] ?? [];
    return found.names.every((name) => allowed.includes(name)) && found.names.length > 0
      ? null
      : `must not take ${found.names.join(', ')} from ${found.specifier}`;
  }
  const part = partOf(found.target);
  if (part === undefined) return `must not import ${found.target}`;
  if (part === rule.from || rule.mayImport.includes(part)) return null;
  if (rule.typesOf?.includes(part) === true) {
    return found.typeOnly ? null : `may import only types of ${part}, not ${found.target}`;
  }
  return `must not import ${part} (${found.target})`;
}

function ruleOf(part: Part | undefined): ImportRule | undefined {
  return IMPORT_RULES.find((rule) => rule.from === part);
}

const programs = programsUnder('src');
const imports = programs.flatMap((path) => importsOf(path));

describe('imports', () => {
  it('every file of src belongs to a part that has a rule', () => {
    const homeless = programs.filter(
      (path) => !ENTRY_POINTS.includes(path) && ruleOf(partOf(path)) === undefined,
    );
    expect(homeless, 'give its folder a line in test/tidy/import-rules.ts, with the reason').toEqual([]);
  });

  for (const rule of IMPORT_RULES) {
    it(`${rule.from} imports only what it may, because ${rule.because}`, () => {
      const ofPart = imports.filter(
        (found) => partOf(found.file) === rule.from && !ENTRY_POINTS.includes(found.file),
      );
      const objections = ofPart.flatMap((found) => {
        const why = objection(rule, found);
        return why === null ? [] : [`${found.where}: ${rule.from} ${why}, because ${rule.because}`];
      });
      expect(objections).toEqual([]);
    });
  }

  it('nothing imports an entry point, because importing one would start a process or construct a second desk', () => {
    const wrong = imports.filter((found) => found.target !== null && ENTRY_POINTS.includes(found.target));
    expect(wrong.map((found) => `${found.where}: imports ${found.target}`)).toEqual([]);
  });

  it('every relative import leads to a file', () => {
    const known = new Set(programs);
    const lost = imports.filter(
      ({ target }) => target !== null && /\.tsx?$/.test(target) && !known.has(target),
    );
    expect(lost.map((found) => `${found.where}: ${found.specifier}`)).toEqual([]);
  });
});

/** What a rule says of each import in a text that is not on disk. */
function check(rule: ImportRule | undefined, file: string, text: string): (string | null)[] {
  return rule === undefined ? ['no rule'] : importsOf(file, text).map((found) => objection(rule, found));
}

describe('the rules themselves', () => {
  const core = ruleOf('core');
  const operations = ruleOf('operations');

  it('see static, re-exported, dynamic and type imports', () => {
    const text = [
      `import { a } from '../ledger/a.js';`,
      `export * from '../ledger/b.js';`,
      `export type { C } from '../ledger/c.js';`,
      `type D = import('../ledger/d.js').D;`,
      `const e = await import('../ledger/e.js');`,
    ].join('\n');
    const targets = ['a', 'b', 'c', 'd', 'e'].map((name) => `must not import ledger (src/ledger/${name}.ts)`);
    expect(check(core, 'src/core/x.ts', text)).toEqual(targets);
  });

  it('let core take a hash of node:crypto and nothing else of it', () => {
    expect(check(core, 'src/core/x.ts', `import { createHash } from 'node:crypto';`)).toEqual([null]);
    expect(check(core, 'src/core/x.ts', `import { randomUUID } from 'node:crypto';`)).not.toEqual([null]);
    expect(check(core, 'src/core/x.ts', `import * as crypto from 'node:crypto';`)).not.toEqual([null]);
    expect(check(core, 'src/core/x.ts', `import 'node:fs';`)).not.toEqual([null]);
  });

  it('let operations name the graph in types only', () => {
    expect(check(operations, 'src/operations/x.ts', `import type { G } from '../graph/graph.js';`)).toEqual([
      null,
    ]);
    expect(check(operations, 'src/operations/x.ts', `import { type G } from '../graph/graph.js';`)).toEqual([
      null,
    ]);
    expect(check(operations, 'src/operations/x.ts', `import { g } from '../graph/graph.js';`)).not.toEqual([
      null,
    ]);
  });
});
