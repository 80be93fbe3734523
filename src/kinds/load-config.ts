import { dirname, resolve } from 'node:path';
import type { CasePolicy } from '../core/case.js';
import type { Kind } from '../core/kind.js';
import { codeChange } from './code-change.js';
import { ConfigError, isConfigError } from './config-error.js';
import type { KindDeclaration } from './declaration.js';
import { defineKind } from './define-kind.js';
import { generic } from './generic.js';
import { exceptionCase } from './exception-case.js';
import { invoiceCheck } from './invoice-check.js';
import { resolveCases, type CasesDeclaration } from './case-config.js';
import { pointerOf } from './pointers.js';
import { findConfigFile, readConfigFile } from './read-config-file.js';

export const SHIPPED_KINDS: readonly Kind[] = Object.freeze([
  generic,
  invoiceCheck,
  codeChange,
  exceptionCase,
]);

/** A declaration in a config file. `override: true` is needed to take the name of a shipped kind. */
export type ConfiguredKind = KindDeclaration & { readonly override?: boolean };

/** What a config file exports as default (or holds, as JSON): kinds as a list, or by name. */
export interface SignalboxConfig {
  readonly kinds?:
    | readonly ConfiguredKind[]
    | { readonly [name: string]: Omit<ConfiguredKind, 'name'> & { readonly name?: string } };
  /** Teams, classifications, origins and queues of the human workbasket. */
  readonly cases?: CasesDeclaration;
}

/** Everything a config file says, resolved. */
export interface Project {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly cases: CasePolicy;
}

/** Gives back what it is given; there for the types while a config is written. */
export function defineConfig(config: SignalboxConfig): SignalboxConfig {
  return config;
}

export interface LoadOptions {
  /** A config file, relative to `cwd`; when left out, the first of CONFIG_FILE_NAMES in `cwd`, or none. */
  readonly configPath?: string | undefined;
  readonly cwd: string;
}

/** The kinds of a project by name: those that ship and those of its config file. Throws as loadProject does. */
export async function loadKinds(options: LoadOptions): Promise<ReadonlyMap<string, Kind>> {
  return (await loadProject(options)).kinds;
}

/**
 * What a project declares: its kinds with those that ship, and how its cases are handled.
 * Throws ConfigError with every problem of the file, each with its path in it.
 */
export async function loadProject({ configPath, cwd }: LoadOptions): Promise<Project> {
  const kinds = new Map(SHIPPED_KINDS.map((kind) => [kind.name, kind]));
  const file = configPath === undefined ? await findConfigFile(cwd) : resolve(cwd, configPath);
  if (file === null) return { kinds, cases: resolveCases({}) };
  const config: unknown = await readConfigFile(file);

  const errors: ConfigError[] = [];
  const placed = new Map<string, string>();
  for (const { path, value } of entriesOf(config, file)) {
    try {
      const { kind, override } = resolveEntry(value, dirname(file));
      const problem = nameProblem(kind.name, override, placed);
      if (problem !== null) throw new ConfigError(`kind ${JSON.stringify(kind.name)}`, [problem]);
      placed.set(kind.name, path);
      kinds.set(kind.name, kind);
    } catch (error) {
      if (!isConfigError(error)) throw error;
      errors.push(new ConfigError(error.subject, error.issues).within(file, path));
    }
  }
  if (errors.length > 0) throw joined(errors, file);
  return { kinds, cases: casesOf(config, file) };
}

function casesOf(config: unknown, file: string): CasePolicy {
  try {
    return resolveCases(isObject(config) ? (config['cases'] ?? {}) : {});
  } catch (error) {
    throw isConfigError(error)
      ? new ConfigError(error.subject, error.issues).within(file, pointerOf(['cases']))
      : error;
  }
}

/** The declarations of a config, each with the pointer of its place. A kind by name gets its key as its name. */
function entriesOf(config: unknown, file: string): { path: string; value: unknown }[] {
  const refuse = (path: string, message: string) =>
    new ConfigError('the config file', [{ path, message }], file);
  if (!isObject(config)) throw refuse('', 'must be an object: { "kinds": [ … ] }');
  const unknown = Object.keys(config).find((key) => !['kinds', 'cases', '$schema'].includes(key));
  if (unknown !== undefined)
    throw refuse(pointerOf([unknown]), 'is not a known field; a config has `kinds` and `cases`');
  const kinds = config['kinds'] ?? [];
  if (Array.isArray(kinds))
    return kinds.map((value: unknown, index) => ({ path: pointerOf(['kinds', index]), value }));
  if (!isObject(kinds)) throw refuse('/kinds', 'must be a list of kinds, or an object of kinds by name');
  return Object.entries(kinds).map(([name, value]) => {
    const path = pointerOf(['kinds', name]);
    if (!isObject(value)) throw refuse(path, 'must be the declaration of a kind');
    if (value['name'] !== undefined && value['name'] !== name)
      throw refuse(`${path}/name`, `must be ${JSON.stringify(name)}, its key, or be left out`);
    return { path, value: { ...value, name } };
  });
}

function resolveEntry(value: unknown, baseFolder: string): { kind: Kind; override: boolean } {
  if (!isObject(value))
    throw new ConfigError('the declaration of a kind', [
      { path: '', message: 'must be an object with at least a name' },
    ]);
  if (typeof value['inputCheck'] === 'function') {
    throw new ConfigError(`kind ${JSON.stringify(value['name'])}`, [
      { path: '', message: 'is the result of defineKind; put the declaration itself here' },
    ]);
  }
  const { override, ...declaration } = value;
  const issues =
    override === undefined || typeof override === 'boolean'
      ? []
      : [{ path: '/override', message: 'must be true or false' }];
  if (issues.length > 0) throw new ConfigError(`kind ${JSON.stringify(value['name'])}`, issues);
  // defineKind checks the whole shape at run time; the type is what it will then have been.
  return {
    kind: defineKind(declaration as unknown as KindDeclaration, { baseFolder }),
    override: override === true,
  };
}

function nameProblem(
  name: string,
  override: boolean,
  placed: ReadonlyMap<string, string>,
): { path: string; message: string } | null {
  const earlier = placed.get(name);
  if (earlier !== undefined) return { path: '/name', message: `is declared already at ${earlier}` };
  const ships = SHIPPED_KINDS.some((kind) => kind.name === name);
  if (ships && !override)
    return {
      path: '/name',
      message: 'is a kind that ships; choose another name, or say `override: true` to replace it',
    };
  if (!ships && override)
    return {
      path: '/override',
      message: `there is no shipped kind of this name to replace; they are ${SHIPPED_KINDS.map((kind) => kind.name).join(', ')}`,
    };
  return null;
}

function joined(errors: readonly ConfigError[], file: string): ConfigError {
  const [only] = errors;
  if (errors.length === 1 && only !== undefined) return only;
  const subjects = errors.map((error) => error.subject).join(', ');
  return new ConfigError(
    subjects,
    errors.flatMap((error) => error.issues),
    file,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
