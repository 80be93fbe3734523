import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ALWAYS_OWNER_ONLY } from '../../src/core/kind.js';
import { ConfigError } from '../../src/kinds/config-error.js';
import { DEFAULTS, defineKind } from '../../src/kinds/define-kind.js';

/** The error of a declaration that must not pass. Declarations here are wrong on purpose, so types are set aside. */
function errorOf(declaration: unknown): ConfigError {
  try {
    defineKind(declaration as never);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the declaration was taken');
}

describe('a declaration with only a name', () => {
  const kind = defineKind({ name: 'bare' });

  it('gets every default of DEFAULTS', () => {
    expect(kind).toMatchObject({
      description: '',
      identity: [],
      artifactCheck: null,
      artifactMediaType: null,
      requiresHeadSha: false,
      validators: [],
      validatorRetries: 2,
      lease: { lease_ms: 900_000, leaseLimit_ms: 14_400_000, noProgress_ms: 1_800_000 },
      reviewLease_ms: 1_800_000,
      roundLimit: 3,
      completion: 'complete',
      effects: [],
      observation_ms: DEFAULTS.observation_ms,
      titleFrom: null,
    });
  });

  it('leaves out no stage', () => expect(kind.skips).toEqual([]));

  it('keeps the actions that are always the owner’s', () =>
    expect(kind.ownerOnly).toEqual([...ALWAYS_OWNER_ONLY]));

  it('takes any input', () => expect(kind.inputCheck(null)).toEqual([]));
});

describe('a resolved kind', () => {
  it('is frozen all the way down', () => {
    const kind = defineKind({
      name: 'frozen',
      identity: ['a'],
      validators: [{ type: 'command', command: ['true'] }],
      skips: ['VP_REVIEW'],
    });
    const parts = [
      kind,
      kind.identity,
      kind.lease,
      kind.skips,
      kind.ownerOnly,
      kind.effects,
      kind.validators,
    ];
    expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
    expect(kind.validators.every((one) => Object.isFrozen(one))).toBe(true);
    const [command] = kind.validators;
    expect(command?.type === 'command' && Object.isFrozen(command.command)).toBe(true);
  });

  it('has its identity as JSON Pointers, written as names or as pointers', () => {
    expect(defineKind({ name: 'k', identity: ['issuer', '/a/b~1c', 'x/y~z'] }).identity).toEqual([
      '/issuer',
      '/a/b~1c',
      '/x~1y~0z',
    ]);
  });

  it('adds its own owner-only actions to those that always are, without doubles', () => {
    const { ownerOnly } = defineKind({ name: 'k', ownerOnly: ['pay', 'publish'] });
    expect(ownerOnly).toEqual([...ALWAYS_OWNER_ONLY, 'pay']);
  });

  it('has a lease limit no shorter than a lease that was declared long', () => {
    const { lease } = defineKind({ name: 'k', lease: { lease_ms: 36_000_000 } });
    expect(lease).toMatchObject({ lease_ms: 36_000_000, leaseLimit_ms: 36_000_000 });
  });

  it('asks for a headSha where a commit validator is declared', () => {
    expect(
      defineKind({ name: 'k', validators: [{ type: 'commit', repositoryField: 'repo' }] }).requiresHeadSha,
    ).toBe(true);
  });

  it('has relative items of a command resolved against the base folder, since it runs elsewhere', () => {
    const kind = defineKind(
      { name: 'k', validators: [{ type: 'command', command: ['node', './check.mjs', '--flag', '../x'] }] },
      { baseFolder: '/srv/project' },
    );
    expect(kind.validators[0]).toMatchObject({
      command: ['node', resolve('/srv/project/check.mjs'), '--flag', resolve('/srv/x')],
    });
  });
});

describe('a wrong declaration is refused at the path of the fault', () => {
  const cases: [string, unknown, string][] = [
    ['no object', 'invoice', ''],
    ['null', null, ''],
    ['a missing name', {}, '/name'],
    ['a name that does not fit a URL', { name: 'Bad Name' }, '/name'],
    ['an unknown field', { name: 'k', rounds: 3 }, '/rounds'],
    ['a description that is no text', { name: 'k', description: 3 }, '/description'],
    ['identity as text', { name: 'k', identity: 'issuer' }, '/identity'],
    ['an empty identity field', { name: 'k', identity: ['a', ''] }, '/identity/1'],
    ['a malformed identity pointer', { name: 'k', identity: ['/a~2'] }, '/identity/0'],
    ['one identity field twice', { name: 'k', identity: ['a', '/a'] }, '/identity/1'],
    ['an input schema that is no schema', { name: 'k', input: 'string' }, '/input'],
    [
      'an input JSON Schema with a misspelt keyword',
      { name: 'k', input: { type: 'object', requird: ['a'] } },
      '/input',
    ],
    [
      'an input JSON Schema with a reference to nowhere',
      { name: 'k', input: { $ref: '#/$defs/no' } },
      '/input',
    ],
    ['an asynchronous JSON Schema', { name: 'k', input: { $async: true, type: 'object' } }, '/input'],
    ['an artifact schema that does not compile', { name: 'k', artifact: { type: 'nonsense' } }, '/artifact'],
    [
      'a media type with parameters',
      { name: 'k', artifactMediaType: 'text/plain; charset=utf-8' },
      '/artifactMediaType',
    ],
    ['requiresHeadSha as text', { name: 'k', requiresHeadSha: 'yes' }, '/requiresHeadSha'],
    [
      'requiresHeadSha false beside a commit validator',
      { name: 'k', requiresHeadSha: false, validators: [{ type: 'commit', repositoryField: 'r' }] },
      '/requiresHeadSha',
    ],
    ['validators that are no list', { name: 'k', validators: {} }, '/validators'],
    ['a validator of no known type', { name: 'k', validators: [{ type: 'magic' }] }, '/validators/0/type'],
    [
      'an empty command',
      { name: 'k', validators: [{ type: 'command', command: [] }] },
      '/validators/0/command',
    ],
    [
      'a command for a shell',
      { name: 'k', validators: [{ type: 'command', command: 'ls' }] },
      '/validators/0/command',
    ],
    [
      'a time limit of zero',
      { name: 'k', validators: [{ type: 'command', command: ['x'], timeLimit_ms: 0 }] },
      '/validators/0/timeLimit_ms',
    ],
    [
      'a time limit that no timer holds',
      { name: 'k', validators: [{ type: 'command', command: ['x'], timeLimit_ms: 2 ** 31 }] },
      '/validators/0/timeLimit_ms',
    ],
    [
      'success as a finding exit code',
      { name: 'k', validators: [{ type: 'command', command: ['x'], findingExitCodes: [0] }] },
      '/validators/0/findingExitCodes/0',
    ],
    [
      'no required fields',
      { name: 'k', validators: [{ type: 'required', fields: [] }] },
      '/validators/0/fields',
    ],
    [
      'a bad required field',
      { name: 'k', validators: [{ type: 'required', fields: ['/~'] }] },
      '/validators/0/fields/0',
    ],
    [
      'a bad validator schema',
      { name: 'k', validators: [{ type: 'schema', schema: { type: 1 } }] },
      '/validators/0/schema',
    ],
    [
      'a bad repository field',
      { name: 'k', validators: [{ type: 'commit', repositoryField: '/~' }] },
      '/validators/0/repositoryField',
    ],
    [
      'two validators of one name',
      {
        name: 'k',
        validators: [
          { type: 'command', command: ['a'] },
          { type: 'command', command: ['b'] },
        ],
      },
      '/validators/1/name',
    ],
    ['negative retries', { name: 'k', validatorRetries: -1 }, '/validatorRetries'],
    ['a lease of no time', { name: 'k', lease: { lease_ms: 0 } }, '/lease/lease_ms'],
    ['a lease as text', { name: 'k', lease: { lease_ms: '15m' } }, '/lease/lease_ms'],
    ['an unknown lease field', { name: 'k', lease: { minutes: 5 } }, '/lease/minutes'],
    [
      'a limit below the lease',
      { name: 'k', lease: { lease_ms: 10, leaseLimit_ms: 5 } },
      '/lease/leaseLimit_ms',
    ],
    [
      'half a millisecond without progress',
      { name: 'k', lease: { noProgress_ms: 0.5 } },
      '/lease/noProgress_ms',
    ],
    ['an endless review lease', { name: 'k', reviewLease_ms: Infinity }, '/reviewLease_ms'],
    ['no rounds', { name: 'k', roundLimit: 0 }, '/roundLimit'],
    ['a stage that cannot be left out', { name: 'k', skips: ['VALIDATION'] }, '/skips/0'],
    ['a stage left out twice', { name: 'k', skips: ['VP_REVIEW', 'VP_REVIEW'] }, '/skips/1'],
    ['a completion in capitals', { name: 'k', completion: 'Pay!' }, '/completion'],
    ['owner-only as text', { name: 'k', ownerOnly: 'pay' }, '/ownerOnly'],
    ['an empty effect', { name: 'k', effects: [''] }, '/effects/0'],
    ['a negative observation', { name: 'k', observation_ms: -5 }, '/observation_ms'],
    ['a bad title pointer', { name: 'k', titleFrom: '/~' }, '/titleFrom'],
  ];

  it.each(cases)('%s', (_what, declaration, path) => {
    const error = errorOf(declaration);
    expect(error.issues.map((issue) => issue.path)).toContain(path);
    expect(error.message).toContain(path);
  });

  it('names every fault at once, and the kind', () => {
    const error = errorOf({
      name: 'k',
      identity: ['/~'],
      titleFrom: '/~',
      lease: { lease_ms: 9, leaseLimit_ms: 1 },
    });
    expect(error.issues.map((issue) => issue.path).toSorted()).toEqual([
      '/identity/0',
      '/lease/leaseLimit_ms',
      '/titleFrom',
    ]);
    expect(error.message).toContain('kind "k"');
  });
});

describe('a schema', () => {
  const zod = defineKind({
    name: 'k',
    input: z.strictObject({
      a: z.string(),
      list: z.array(z.object({ 'x/y': z.number() })),
      u: z.union([z.string(), z.int()]),
    }),
  });
  const json = defineKind({
    name: 'k',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['a', 'b'],
      properties: {
        a: { type: 'string', format: 'no-such-format' },
        b: { enum: ['x', 'y'] },
        n: { type: 'array', items: { type: 'number' } },
      },
    },
  });

  it('of zod gives JSON Pointers, escaped, to each fault', () => {
    const issues = zod.inputCheck({ list: [{ 'x/y': 'no' }], u: null, extra: 1 });
    expect(issues.map((issue) => issue.path).toSorted()).toEqual(['/a', '/extra', '/list/0/x~1y', '/u']);
  });

  it('of zod says what each branch of a union asked for', () => {
    const [issue] = zod.inputCheck({ a: '', list: [], u: null });
    expect(issue?.message).toMatch(/string.*or.*int|string.*or.*number/);
  });

  it('of JSON Schema gives JSON Pointers to the missing and the extra field themselves', () => {
    expect(
      json
        .inputCheck({ a: 1, n: [1, '2'], extra: 1 })
        .map((issue) => issue.path)
        .toSorted(),
    ).toEqual(['/a', '/b', '/extra', '/n/1']);
  });

  it('of JSON Schema names the values that are allowed', () => {
    expect(json.inputCheck({ a: '', b: 'z' })).toEqual([
      { path: '/b', message: expect.stringContaining('"x", "y"') as string },
    ]);
  });

  it('takes an unknown format as a remark', () => expect(json.inputCheck({ a: 'x', b: 'x' })).toEqual([]));

  it('does not take an inherited property for a field', () => {
    expect(
      defineKind({ name: 'k', input: { type: 'object', required: ['toString'] } }).inputCheck({}),
    ).toHaveLength(1);
  });

  it('may be of draft-07, and two kinds may use one $id', () => {
    const input = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'urn:test:x',
      items: [{ type: 'string' }],
      type: 'array',
    };
    expect(defineKind({ name: 'a', input }).inputCheck([1])).toHaveLength(1);
    expect(defineKind({ name: 'b', input }).inputCheck(['1'])).toEqual([]);
  });

  it('leaves the value as it is and answers the same again', () => {
    const value = Object.freeze({ a: 1 });
    expect(json.inputCheck(value)).toEqual(json.inputCheck(value));
    expect(value).toEqual({ a: 1 });
  });

  it('that is recursive turns a bottomless value away instead of overflowing', () => {
    const input = { $id: 'urn:test:tree', type: 'object', properties: { child: { $ref: '#' } } };
    let value: unknown = {};
    for (let depth = 0; depth < 200_000; depth += 1) value = { child: value };
    expect(defineKind({ name: 'k', input }).inputCheck(value)).toEqual([
      { path: '', message: 'is nested too deeply to be checked' },
    ]);
  });

  it('gives a bounded number of issues', () => {
    const input = { type: 'array', items: { type: 'string' } };
    expect(
      defineKind({ name: 'k', input }).inputCheck(Array.from({ length: 5000 }, () => 1)).length,
    ).toBeLessThanOrEqual(200);
  });
});
