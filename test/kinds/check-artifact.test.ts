import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { validate } from './validating.js';

const artifact = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
const missingProgram = { type: 'command', command: ['/no/such/program'] } as const;

describe('the media type', () => {
  it('that is another one is a finding', async () => {
    expect(await validate({ artifactMediaType: 'application/json' }, { mediaType: 'text/plain' })).toEqual({
      outcome: 'findings',
      findings: [
        {
          validator: 'media-type',
          path: '',
          message: 'the artifact must be application/json, but is text/plain',
        },
      ],
    });
  });

  it('is compared without parameters and capitals', async () => {
    expect(
      await validate(
        { artifactMediaType: 'application/json' },
        { mediaType: 'Application/JSON; charset=utf-8' },
      ),
    ).toEqual({ outcome: 'passed' });
  });

  it('is free where the kind names none', async () => {
    expect(await validate({}, { mediaType: '' })).toEqual({ outcome: 'passed' });
  });
});

describe('the schema of the artifact', () => {
  it('lets a fitting artifact pass', async () => {
    expect(await validate({ artifact }, { text: '{"ok":true}' })).toEqual({ outcome: 'passed' });
  });

  it('gives a finding with the path of each fault', async () => {
    expect(await validate({ artifact }, { text: '{"ok":1}' })).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'artifact', path: '/ok' }],
    });
  });

  it.each([
    ['text that is no JSON', { text: '{"ok":' }],
    ['an empty artifact', { text: '' }],
    ['bytes that are no UTF-8', { bytes: new Uint8Array([0x22, 0xff, 0x22]) }],
  ])('turns %s into a finding', async (_what, content) => {
    expect(await validate({ artifact }, content)).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'json', path: '' }],
    });
  });

  it('never sees a __proto__ key, however deep', async () => {
    const seen: unknown[] = [];
    const spy = z.unknown().refine((value) => seen.push(value) > 0);
    expect(await validate({ artifact: spy }, { text: '{"a":[{"__proto__":{"ok":true}}]}' })).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'json', path: '/a/0/__proto__' }],
    });
    expect(seen).toEqual([]);
  });

  it('never sees JSON that is nested without end', async () => {
    expect(
      await validate({ artifact: z.unknown() }, { text: '['.repeat(100_000) + ']'.repeat(100_000) }),
    ).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'json', message: expect.stringContaining('nested deeper') as string }],
    });
  });

  it('that cannot be run is a failed validator, not a finding', async () => {
    const asynchronous = z.string().refine(() => Promise.resolve(true));
    expect(await validate({ artifact: asynchronous }, { text: '"x"' })).toMatchObject({
      outcome: 'failed',
      validator: 'artifact',
    });
  });
});

describe('the validators without a process', () => {
  it('find fields that are missing, null or blank', async () => {
    const validators = [
      { type: 'required', name: 'complete', fields: ['a', 'b', 'c', '/d/e', 'zero'] },
    ] as const;
    const result = await validate({ validators }, { text: '{"a":"x","b":null,"c":" ","d":{},"zero":0}' });
    expect(result).toEqual({
      outcome: 'findings',
      findings: ['/b', '/c', '/d/e'].map((path) => ({ validator: 'complete', path, message: 'is required' })),
    });
  });

  it('take a second schema', async () => {
    const validators = [
      { type: 'schema', name: 'positive', schema: z.looseObject({ n: z.number().positive() }) },
    ] as const;
    expect(await validate({ validators }, { text: '{"n":-1}' })).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'positive', path: '/n' }],
    });
  });

  it('are all asked, and no command is run on an artifact that is known to be wrong', async () => {
    const validators = [missingProgram, { type: 'required', fields: ['b'] }] as const;
    const result = await validate(
      { artifact, artifactMediaType: 'application/json', validators },
      { text: '{}' },
    );
    expect(result.outcome === 'findings' && result.findings.map((finding) => finding.validator)).toEqual([
      'media-type',
      'artifact',
      'required',
    ]);
  });

  it('keep so many findings and say how many are left out', async () => {
    const fields = Array.from({ length: 500 }, (_, index) => `f${index}`);
    const result = await validate({ validators: [{ type: 'required', fields }] }, { text: '{}' });
    expect(result.outcome === 'findings' && result.findings).toHaveLength(200);
    expect(result.outcome === 'findings' && result.findings.at(-1)?.message).toBe(
      '301 more findings are not listed',
    );
  });
});

describe('the commit name', () => {
  const sha = 'a'.repeat(40);

  it('must be given where the kind wants one', async () => {
    expect(await validate({ requiresHeadSha: true }, {})).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'head-sha' }],
    });
  });

  it.each([sha, 'b'.repeat(64)])('may have 40 or 64 digits', async (headSha) => {
    expect(await validate({ requiresHeadSha: true }, { headSha })).toEqual({ outcome: 'passed' });
  });

  it.each(['main', sha.slice(1), `${sha}0`, sha.toUpperCase(), `--upload-pack=x`, `${sha}\n`, ''])(
    'may not be %j',
    async (headSha) => {
      expect(await validate({ requiresHeadSha: true }, { headSha })).toMatchObject({
        outcome: 'findings',
        findings: [{ validator: 'head-sha' }],
      });
    },
  );
});
