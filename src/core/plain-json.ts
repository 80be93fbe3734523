import { keptText } from './kept-text.js';
import { LIMITS } from './limits.js';
import type { FieldIssue } from './refusals.js';

/** How deep objects and arrays may nest; a scalar alone has depth 0. */
export const MAX_JSON_DEPTH = LIMITS.json_depth;
/** Issues reported of one value; the rest would say nothing new and a hostile value has a million. */
export const MAX_JSON_ISSUES = 100;
/** Characters of one key that a reported path repeats. */
const PATH_KEY_CHARS = 200;

/**
 * Says why a value from outside is not plain JSON that we store, hash and hand back unchanged; empty when it is.
 * Run it on what `JSON.parse` gave: that keeps `__proto__` as an own key, so it can still be seen there.
 *
 * Refused: `__proto__` as a key; objects that LangChain or LangGraph take for their own serialised form and would
 * turn into something else when a checkpoint is read back; nesting beyond MAX_JSON_DEPTH; control characters
 * (but tab, line feed, carriage return) and lone surrogates in strings and keys; numbers that are not finite
 * (`1e999` parses to Infinity); whatever JSON cannot say at all.
 */
export function assertPlainJson(value: unknown): FieldIssue[] {
  const issues: FieldIssue[] = [];
  inspect(value, '', 0, issues);
  return issues;
}

function inspect(value: unknown, path: string, depth: number, issues: FieldIssue[]): void {
  if (issues.length >= MAX_JSON_ISSUES) return;
  const message = scalarIssue(value);
  if (message !== null) issues.push({ path, message });
  if (typeof value !== 'object' || value === null || message !== null) return;
  if (depth >= MAX_JSON_DEPTH) {
    issues.push({ path, message: `nests deeper than ${MAX_JSON_DEPTH} levels` });
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      inspect(value[index], `${path}/${index}`, depth + 1, issues);
    }
    return;
  }
  if (looksSerialised(value)) {
    issues.push({ path, message: 'has the form of a serialised LangChain object (`lc` or `lg_name`)' });
  }
  for (const [key, member] of Object.entries(value)) {
    const here = `${path}/${pointerToken(key)}`;
    const keyMessage = key === '__proto__' ? 'is a key that must not be used' : textIssue(key, 'its key');
    if (keyMessage !== null) issues.push({ path: here, message: keyMessage });
    else inspect(member, here, depth + 1, issues);
  }
}

/** What is wrong with the value itself, its members aside. */
function scalarIssue(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return textIssue(value, 'the text');
    case 'number':
      return Number.isFinite(value) ? null : 'is not a finite number';
    case 'boolean':
      return null;
    case 'object': {
      if (value === null || Array.isArray(value)) return null;
      const prototype: unknown = Object.getPrototypeOf(value);
      return prototype === Object.prototype || prototype === null ? null : 'is not a plain object';
    }
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return `is not JSON: ${typeof value}`;
  }
}

function textIssue(text: string, what: string): string | null {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) {
      return `${what} holds the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const paired = code <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1));
      if (!paired) return `${what} holds half a surrogate pair, which UTF-8 cannot store`;
      index += 1;
    }
  }
  return null;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * `lc: 1` is LangChain's form; `lc: 2` is what LangGraph's checkpoint serialiser writes for Map, Set, undefined …
 * and reads back as such; an object named `lg_name: "Send"` loses its other fields when it is written.
 */
function looksSerialised(value: object): boolean {
  const { lc, type, lg_name } = value as { lc?: unknown; type?: unknown; lg_name?: unknown };
  return ((lc === 1 || lc === 2) && typeof type === 'string') || lg_name === 'Send';
}

/** One reference token of a JSON Pointer (RFC 6901), cut where the key is absurdly long. */
export function pointerToken(key: string): string {
  const shown = key.length > PATH_KEY_CHARS ? `${key.slice(0, PATH_KEY_CHARS)}…` : key;
  return shown.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * A value from outside as a message repeats it. Never by its own `toString`, which may be any JSON, and no longer
 * than a message bears.
 */
export function spelled(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value);
  return keptText(text.length > PATH_KEY_CHARS ? `${text.slice(0, PATH_KEY_CHARS)}…` : text);
}
