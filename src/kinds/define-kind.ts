import { resolve } from 'node:path';
import { ALWAYS_OWNER_ONLY } from '../core/kind.js';
import type { Kind, LeasePolicy, SchemaCheck, ValidatorSpec } from '../core/kind.js';
import { ConfigError } from './config-error.js';
import type { ConfigIssue } from './config-error.js';
import { declarationShape } from './declaration.js';
import type { KindDeclaration, ValidatorDeclaration } from './declaration.js';
import { pointerOf, toPointer } from './pointers.js';
import { compileSchema } from './schema-check.js';
import type { SchemaSource } from './schema-check.js';

/** What a kind is where its declaration says nothing. All defaults are here, and nowhere else. */
export const DEFAULTS = Object.freeze({
  description: '',
  /** No identity fields: the `workId` is the identity. */
  identity: Object.freeze([] as string[]),
  /** Any media type. */
  artifactMediaType: null,
  /** True where a `commit` validator is declared. */
  requiresHeadSha: false,
  lease_ms: 15 * 60_000,
  /** Or `lease_ms`, where that was declared longer. */
  leaseLimit_ms: 4 * 60 * 60_000,
  noProgress_ms: 30 * 60_000,
  reviewLease_ms: 30 * 60_000,
  /** Rounds; the REWORK after the third goes to the owner. */
  roundLimit: 3,
  /** Times a work may be released, handed on or lost before its owner is asked. */
  leaseLossLimit: 10,
  /** An expiry waits for somebody to look, unless the kind says that it has nothing outside to lose. */
  autoNothingFound: false,
  approvals: 1,
  /** Attempts after the first, for a validator that itself failed. */
  validatorRetries: 2,
  commandTimeLimit_ms: 60_000,
  findingExitCodes: Object.freeze([1]),
  /** No stage is left out unless a declaration says so. */
  skips: Object.freeze([] as never[]),
  completion: 'complete',
  /** Beyond ALWAYS_OWNER_ONLY. */
  ownerOnly: Object.freeze([] as string[]),
  effects: Object.freeze([] as string[]),
  observation_ms: 24 * 60 * 60_000,
  titleFrom: null,
});

export interface DefineOptions {
  /** The folder against which items of a command that begin with `./` or `../` are resolved; the current one when left out. */
  readonly baseFolder?: string;
}

/** Collects what is wrong, so that a declaration is corrected once and not problem by problem. */
class Problems {
  readonly found: ConfigIssue[] = [];

  add(path: readonly PropertyKey[], message: string): void {
    this.found.push({ path: pointerOf(path), message });
  }

  schema(path: readonly PropertyKey[], source: SchemaSource): SchemaCheck {
    try {
      return compileSchema(source);
    } catch (error) {
      this.add(
        path,
        `is no JSON Schema that can be used: ${error instanceof Error ? error.message : String(error)}`,
      );
      return () => [];
    }
  }

  pointer(path: readonly PropertyKey[], field: string): string {
    const pointer = toPointer(field);
    if (pointer === null)
      this.add(
        path,
        `${JSON.stringify(field)} is neither a field name nor a JSON Pointer (~ is written ~0, / is written ~1)`,
      );
    return pointer ?? '';
  }

  unique(path: readonly PropertyKey[], values: readonly string[], what: string): void {
    values.forEach((value, index) => {
      if (values.indexOf(value) !== index)
        this.add([...path, index], `names the ${what} ${JSON.stringify(value)} a second time`);
    });
  }
}

/**
 * Resolves a declaration into a frozen kind.
 * Throws ConfigError with every problem found, each with the JSON Pointer of its place in the declaration.
 */
export function defineKind(declaration: KindDeclaration, options: DefineOptions = {}): Kind {
  const misshapen = compileSchema(declarationShape)(declaration);
  if (misshapen.length > 0) throw new ConfigError(subjectOf(declaration), misshapen);
  const problems = new Problems();
  const kind = resolveKind(declaration, options.baseFolder ?? process.cwd(), problems);
  if (problems.found.length > 0) throw new ConfigError(subjectOf(declaration), problems.found);
  return kind;
}

function resolveKind(declared: KindDeclaration, baseFolder: string, problems: Problems): Kind {
  const validators = (declared.validators ?? []).map((one, index) =>
    resolveValidator(one, index, baseFolder, problems),
  );
  const names = validators.map(({ name }) => name);
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index)
      problems.add(
        ['validators', index, 'name'],
        `${JSON.stringify(name)} names another validator already; give each its own name`,
      );
  });
  const hasCommit = validators.some(({ type }) => type === 'commit');
  if (hasCommit && declared.requiresHeadSha === false)
    problems.add(['requiresHeadSha'], 'cannot be false where a commit validator is declared');

  const identity = (declared.identity ?? DEFAULTS.identity).map((field, index) =>
    problems.pointer(['identity', index], field),
  );
  problems.unique(['identity'], identity, 'field');
  problems.unique(['skips'], declared.skips ?? DEFAULTS.skips, 'stage');

  return Object.freeze({
    name: declared.name,
    description: declared.description ?? DEFAULTS.description,
    identity: Object.freeze(identity),
    inputCheck: declared.input === undefined ? () => [] : problems.schema(['input'], declared.input),
    artifactCheck: declared.artifact === undefined ? null : problems.schema(['artifact'], declared.artifact),
    artifactMediaType: declared.artifactMediaType ?? DEFAULTS.artifactMediaType,
    requiresHeadSha: declared.requiresHeadSha ?? (hasCommit || DEFAULTS.requiresHeadSha),
    validators: Object.freeze(validators),
    validatorRetries: declared.validatorRetries ?? DEFAULTS.validatorRetries,
    lease: resolveLease(declared.lease ?? {}, problems),
    reviewLease_ms: declared.reviewLease_ms ?? DEFAULTS.reviewLease_ms,
    roundLimit: declared.roundLimit ?? DEFAULTS.roundLimit,
    leaseLossLimit: declared.leaseLossLimit ?? DEFAULTS.leaseLossLimit,
    autoNothingFound: declared.autoNothingFound ?? DEFAULTS.autoNothingFound,
    approvals: declared.approvals ?? DEFAULTS.approvals,
    skips: Object.freeze([...(declared.skips ?? DEFAULTS.skips)]),
    completion: declared.completion ?? DEFAULTS.completion,
    ownerOnly: Object.freeze([
      ...new Set([...ALWAYS_OWNER_ONLY, ...(declared.ownerOnly ?? DEFAULTS.ownerOnly)]),
    ]),
    effects: Object.freeze([...new Set(declared.effects ?? DEFAULTS.effects)]),
    observation_ms: declared.observation_ms ?? DEFAULTS.observation_ms,
    titleFrom:
      typeof declared.titleFrom === 'string'
        ? problems.pointer(['titleFrom'], declared.titleFrom)
        : DEFAULTS.titleFrom,
  });
}

function resolveLease(declared: Partial<LeasePolicy>, problems: Problems): LeasePolicy {
  const lease_ms = declared.lease_ms ?? DEFAULTS.lease_ms;
  const leaseLimit_ms = declared.leaseLimit_ms ?? Math.max(DEFAULTS.leaseLimit_ms, lease_ms);
  if (leaseLimit_ms < lease_ms)
    problems.add(['lease', 'leaseLimit_ms'], `must not be shorter than lease_ms (${lease_ms})`);
  return Object.freeze({
    lease_ms,
    leaseLimit_ms,
    noProgress_ms: declared.noProgress_ms ?? DEFAULTS.noProgress_ms,
  });
}

function resolveValidator(
  declared: ValidatorDeclaration,
  index: number,
  baseFolder: string,
  problems: Problems,
): ValidatorSpec {
  const here = ['validators', index] as const;
  const name = declared.name ?? declared.type;
  switch (declared.type) {
    case 'schema':
      return Object.freeze({
        type: 'schema',
        name,
        check: problems.schema([...here, 'schema'], declared.schema),
      });
    case 'required': {
      const fields = declared.fields.map((field, at) => problems.pointer([...here, 'fields', at], field));
      return Object.freeze({ type: 'required', name, fields: Object.freeze(fields) });
    }
    case 'command':
      return Object.freeze({
        type: 'command',
        name,
        // A command runs in an empty temporary folder, where a relative path could not mean anything.
        command: Object.freeze(
          declared.command.map((item) => (/^\.\.?\//.test(item) ? resolve(baseFolder, item) : item)),
        ),
        timeLimit_ms: declared.timeLimit_ms ?? DEFAULTS.commandTimeLimit_ms,
        findingExitCodes: Object.freeze([...(declared.findingExitCodes ?? DEFAULTS.findingExitCodes)]),
      });
    case 'commit':
      return Object.freeze({
        type: 'commit',
        name,
        repositoryField: problems.pointer([...here, 'repositoryField'], declared.repositoryField),
      });
  }
}

function subjectOf(declaration: unknown): string {
  const name = (declaration as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? `kind ${JSON.stringify(name)}` : 'the declaration of a kind';
}
