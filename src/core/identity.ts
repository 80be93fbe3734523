import { createHash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';
import type { Json, Kind } from './kind.js';

// The package declares its default export in CommonJS style; under nodenext the callable is the default itself.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/** SHA-256 of bytes or UTF-8 text, lower-case hex. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Canonical JSON by RFC 8785: field order and number spelling of the sender play no part. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('this value has no JSON form');
  return text;
}

/** The hash that names a piece of content, whatever the order of its fields. */
export function contentSha256(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** Follows an RFC 6901 pointer; undefined where nothing is there. Own properties only. */
export function at(value: unknown, pointer: string): Json | undefined {
  if (pointer === '') return value as Json;
  let here: unknown = value;
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here as Json;
}

export type Identity =
  | { readonly ok: true; readonly key: readonly Json[] | null; readonly sha256: string }
  | { readonly ok: false; readonly missing: string };

/**
 * The identity key of an input: the kind's business fields, never likeness of text. Strings are compared
 * after trimming and Unicode normalisation (NFC), because a copied invoice number with a stray blank is the same number.
 * A kind without identity fields is identified by its workId.
 */
export function identityOf(kind: Pick<Kind, 'name' | 'identity'>, input: unknown, workId: string): Identity {
  if (kind.identity.length === 0)
    return { ok: true, key: null, sha256: contentSha256([kind.name, 'workId', workId]) };
  const key: Json[] = [];
  for (const pointer of kind.identity) {
    const value = at(input, pointer);
    const normal = typeof value === 'string' ? value.trim().normalize('NFC') : value;
    if (normal === undefined || normal === null || normal === '') return { ok: false, missing: pointer };
    key.push(normal);
  }
  return { ok: true, key, sha256: contentSha256([kind.name, 'fields', key]) };
}

/** A workId for a work whose sender gave none: readable kind, stable for its identity. */
export function derivedWorkId(kind: string, identitySha256: string): string {
  return `${kind}-${identitySha256.slice(0, 16)}`;
}

/** Namespace of thread IDs (a random UUID, fixed for ever: changing it would orphan every thread). */
const THREAD_NAMESPACE = 'a1c3f0de5b7e4c7c9b0e6f2d48a7315c';

/** The LangGraph thread of a work: a UUID version 5 (RFC 9562) of tenant and workId, so anyone can recompute it. */
export function threadIdOf(tenant: string, workId: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(THREAD_NAMESPACE, 'hex'))
    .update(JSON.stringify([tenant, workId]))
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** One difference between two inputs; `path` is a JSON Pointer. A missing side is left out. */
export interface Change {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Field-by-field differences of two JSON values; arrays are compared by index. */
export function changesBetween(before: unknown, after: unknown, path = ''): Change[] {
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => {
      const here = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!Object.hasOwn(before, key)) return [{ path: here, after: after[key] as Json }];
      if (!Object.hasOwn(after, key)) return [{ path: here, before: before[key] as Json }];
      return changesBetween(before[key], after[key], here);
    });
  }
  return canonicalJson(before) === canonicalJson(after)
    ? []
    : [{ path, before: before as Json, after: after as Json }];
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
