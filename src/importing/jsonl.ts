import { pointerToken } from '../core/plain-json.js';
import type { JsonObject, ImportRequest, Parsed, ParseOptions } from './import-request.js';
import { badField, badLine, checkRequest, parseObject } from './import-request.js';
import { FieldReader, present } from './fields.js';
import { utcTime } from './time.js';

const FIELDS = [
  'kind',
  'workId',
  'title',
  'input',
  'source',
  'impact',
  'urgency',
  'priority',
  'dueAt',
  'blockedBy',
  'correction',
] as const satisfies readonly (keyof ImportRequest)[];

/** One line of our own format: the body of `POST /works`. An unknown field is refused, since it is a typing error. */
export function parseJsonl(text: string, line: number, options: ParseOptions = {}): Parsed {
  const parsed = parseObject(text, line);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const unknown = Object.keys(value).find((name) => !(FIELDS as readonly string[]).includes(name));
  if (unknown !== undefined)
    return badLine(line, `/${pointerToken(unknown)}`, `is not a field; known are ${FIELDS.join(', ')}`);
  if (value['input'] === undefined) return badLine(line, '/input', 'is required');

  const fields = new FieldReader(value);
  const blockedBy = fields.names('blockedBy');
  const request = present({
    kind: fields.text('kind') ?? options.kind ?? fields.requiredText('kind'),
    workId: fields.text('workId'),
    title: fields.text('title'),
    input: value['input'],
    source: fields.text('source'),
    impact: fields.text('impact'),
    urgency: fields.text('urgency'),
    priority: fields.wholeNumber('priority'),
    dueAt: dueAt(fields),
    blockedBy: blockedBy.length > 0 ? blockedBy : undefined,
    correction: correction(value, fields),
  });
  return fields.issue === null ? checkRequest(request, line) : badField(line, fields.issue);
}

function dueAt(fields: FieldReader): string | undefined {
  const text = fields.text('dueAt');
  if (text === undefined) return undefined;
  return utcTime(text) ?? fields.reject('/dueAt', 'must be an RFC 3339 time, such as 2026-03-31T17:00:00Z');
}

function correction(value: JsonObject, fields: FieldReader): { readonly reason: string } | undefined {
  const given = value['correction'] ?? undefined;
  if (given === undefined) return undefined;
  if (typeof given === 'object' && !Array.isArray(given) && typeof given['reason'] === 'string') {
    return { reason: given['reason'] };
  }
  return fields.reject('/correction', 'must be {"reason": "…"}');
}
