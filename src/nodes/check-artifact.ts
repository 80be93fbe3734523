import { at } from '../core/identity.js';
import type { Json, Kind, SchemaCheck } from '../core/kind.js';
import { LIMITS } from '../core/limits.js';
import type { Finding } from '../core/work.js';

/** An artifact as the validators see it: its bytes, what they are said to be, and for code the commit. */
export interface ArtifactContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly headSha?: string | undefined;
}

export type ArtifactRules = Pick<
  Kind,
  'artifactMediaType' | 'artifactCheck' | 'requiresHeadSha' | 'validators'
>;

/** Thrown where a schema itself cannot be run: the validator's fault, not the artifact's. */
export class ValidatorBroken extends Error {
  override readonly name = 'ValidatorBroken';
  constructor(
    readonly validator: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** SHA-1 or SHA-256 object names as git prints them; they are compared as text, so one spelling only. */
const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * All that can be said of an artifact without starting a process: media type, commit name, JSON, schema, required
 * fields. Pure. Throws ValidatorBroken.
 */
export function checkArtifact(rules: ArtifactRules, artifact: ArtifactContent): Finding[] {
  return [
    ...mediaTypeFindings(rules, artifact),
    ...headShaFindings(rules, artifact),
    ...contentFindings(rules, artifact),
  ];
}

function mediaTypeFindings({ artifactMediaType }: ArtifactRules, { mediaType }: ArtifactContent): Finding[] {
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (artifactMediaType === null || essence === artifactMediaType.toLowerCase()) return [];
  return [
    {
      validator: 'media-type',
      path: '',
      message: `the artifact must be ${artifactMediaType}, but is ${mediaType === '' ? 'without a media type' : mediaType}`,
    },
  ];
}

function headShaFindings({ requiresHeadSha }: ArtifactRules, { headSha }: ArtifactContent): Finding[] {
  if (headSha === undefined) {
    return requiresHeadSha
      ? [{ validator: 'head-sha', path: '', message: 'the result must name its commit as headSha' }]
      : [];
  }
  if (COMMIT_NAME.test(headSha)) return [];
  return [
    {
      validator: 'head-sha',
      path: '',
      message: 'headSha must be a full commit name: 40 or 64 lower-case hexadecimal digits',
    },
  ];
}

function contentFindings(rules: ArtifactRules, artifact: ArtifactContent): Finding[] {
  const checks: { name: string; check: SchemaCheck }[] = [];
  if (rules.artifactCheck !== null) checks.push({ name: 'artifact', check: rules.artifactCheck });
  for (const validator of rules.validators) {
    if (validator.type === 'schema') checks.push(validator);
    if (validator.type === 'required')
      checks.push({ name: validator.name, check: (value) => missingFields(value, validator.fields) });
  }
  if (checks.length === 0) return [];
  const parsed = parseJson(artifact.bytes);
  if (!parsed.ok) return [{ validator: 'json', path: parsed.path, message: parsed.message }];
  return checks.flatMap(({ name, check }) => issuesOf(name, check, parsed.value));
}

function issuesOf(validator: string, check: SchemaCheck, value: Json): Finding[] {
  try {
    return check(value).map(({ path, message }) => ({ validator, path, message }));
  } catch (error) {
    throw new ValidatorBroken(validator, error);
  }
}

function missingFields(value: unknown, fields: readonly string[]): { path: string; message: string }[] {
  return fields.flatMap((path) => {
    const found = at(value, path);
    const blank = found === undefined || found === null || (typeof found === 'string' && found.trim() === '');
    return blank ? [{ path, message: 'is required' }] : [];
  });
}

type Parsed = { ok: true; value: Json } | { ok: false; path: string; message: string };

function parseJson(bytes: Uint8Array): Parsed {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, path: '', message: `the artifact is not JSON in UTF-8 (${reason})` };
  }
  const hazard = hazardIn(value);
  return hazard === null ? { ok: true, value } : { ok: false, ...hazard };
}

/**
 * The first thing in parsed JSON that would harm whoever copies or walks it. A list of what is still to be
 * seen instead of recursion: the depth is the sender's choice, the stack is ours.
 */
function hazardIn(root: Json): { path: string; message: string } | null {
  const open: { value: Json; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { value, path, depth } = here;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= LIMITS.json_depth)
      return { path, message: `is nested deeper than ${LIMITS.json_depth} levels` };
    for (const [key, member] of Object.entries(value)) {
      if (key === '__proto__')
        return { path: `${path}/__proto__`, message: 'is a key that must not be used' };
      if (typeof member === 'object' && member !== null) {
        open.push({
          value: member,
          path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          depth: depth + 1,
        });
      }
    }
  }
  return null;
}
