import { LIMITS } from '../core/limits.js';
import { assertPlainJson } from '../core/plain-json.js';
import type { Json } from '../core/kind.js';
import type { FieldIssue } from '../core/refusals.js';

/** One work as an import asks for it: the body of `POST /works`. Empty fields are left out, never null. */
export interface ImportRequest {
  readonly kind: string;
  readonly workId?: string;
  readonly title?: string;
  readonly input: Json;
  /** Where it came from, for people: a URL or `<tracker>:<id>`. */
  readonly source?: string;
  readonly impact?: string;
  readonly urgency?: string;
  /** Lower comes first, as P0 before P1. */
  readonly priority?: number;
  /** RFC 3339, UTC. */
  readonly dueAt?: string;
  /** workIds that must be closed before this one can be claimed; each once, in the order given. */
  readonly blockedBy?: readonly string[];
  readonly correction?: { readonly reason: string };
}

/** What one line or element is: a request, or what is wrong with it and where. One bad line never stops the rest. */
export type Parsed = { readonly ok: true; readonly line: number; readonly request: ImportRequest } | BadLine;

export interface BadLine {
  readonly ok: false;
  /** Counted from 1: the line of the file, or the element of an array. */
  readonly line: number;
  readonly code: 'INVALID' | 'TOO_LARGE';
  readonly message: string;
  /** JSON Pointer into the line's value, '' for the whole line. */
  readonly path: string;
}

export interface ParseOptions {
  /** The kind for works that name none. */
  readonly kind?: string;
}

export function badLine(line: number, path: string, message: string): BadLine {
  return { ok: false, line, code: 'INVALID', message, path };
}

export function badField(line: number, issue: FieldIssue): BadLine {
  return badLine(line, issue.path, issue.message);
}

export type JsonObject = { readonly [key: string]: Json };

/** Parses one line and makes sure of a plain JSON object. */
export function parseObject(
  text: string,
  line: number,
): { readonly ok: true; readonly value: JsonObject } | BadLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return badLine(line, '', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return checkObject(value, line);
}

/** Makes sure that a parsed value is a plain JSON object. */
export function checkObject(
  value: unknown,
  line: number,
): { readonly ok: true; readonly value: JsonObject } | BadLine {
  const [issue] = assertPlainJson(value);
  if (issue !== undefined) return badField(line, issue);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return badLine(line, '', 'must be a JSON object');
  }
  return { ok: true, value: value as JsonObject };
}

/** Checks the bounds every format shares; the kind's own rules are checked when the work is registered. */
export function checkRequest(request: ImportRequest, line: number): Parsed {
  const issue =
    textIssue('/kind', request.kind, LIMITS.name_chars) ??
    textIssue('/workId', request.workId, LIMITS.workId_chars) ??
    textIssue('/title', request.title, LIMITS.title_chars) ??
    textIssue('/source', request.source, LIMITS.reference_chars) ??
    textIssue('/impact', request.impact, LIMITS.name_chars) ??
    textIssue('/urgency', request.urgency, LIMITS.name_chars) ??
    textIssue('/correction/reason', request.correction?.reason, LIMITS.reason_chars) ??
    priorityIssue(request.priority) ??
    blockersIssue(request);
  return issue === null ? { ok: true, line, request } : badField(line, issue);
}

function textIssue(path: string, text: string | undefined, limit: number): FieldIssue | null {
  if (text === undefined) return null;
  if (text.trim() === '') return { path, message: 'must not be empty' };
  return text.length > limit ? { path, message: `is longer than ${limit} characters` } : null;
}

function priorityIssue(priority: number | undefined): FieldIssue | null {
  if (priority === undefined || Number.isSafeInteger(priority)) return null;
  return { path: '/priority', message: 'must be a whole number' };
}

function blockersIssue(request: ImportRequest): FieldIssue | null {
  const blockedBy = request.blockedBy ?? [];
  if (blockedBy.length > LIMITS.blockers) {
    return { path: '/blockedBy', message: `names more than ${LIMITS.blockers} works` };
  }
  for (const [index, blocker] of blockedBy.entries()) {
    const path = `/blockedBy/${index}`;
    const issue = textIssue(path, blocker, LIMITS.workId_chars);
    if (issue !== null) return issue;
    if (blocker === request.workId) return { path, message: 'a work cannot be blocked by itself' };
  }
  return null;
}
