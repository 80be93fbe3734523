import type { Json } from '../core/kind.js';
import type { JsonObject, Parsed, ParseOptions } from './import-request.js';
import { badField, checkRequest, parseObject } from './import-request.js';
import { FieldReader, present } from './fields.js';

/**
 * What an issue says, taken over as the work's input. A list of what counts, so that a field which changes by
 * itself (`updated_at`, counts, who sits on it, an agent's state) never makes the same issue look corrected.
 */
const CONTENT_TEXT = [
  'description',
  'design',
  'acceptance_criteria',
  'notes',
  'status',
  'issue_type',
  'close_reason',
  'external_ref',
  'parent',
] as const;

/** In beads a dependency of this type, recorded in issue A, means that A cannot start before `depends_on_id` is closed. */
const BLOCKING = 'blocks';
/** The same fact as the field `parent`. */
const PARENT = 'parent-child';

/**
 * One issue of beads' `issues.jsonl`. `blocks` dependencies become `blockedBy`, whether or not the file holds the
 * other issue; the rest stays in the input as `links`. beads counts priorities from 0, most urgent first, as we do.
 */
export function parseBeads(text: string, line: number, options: ParseOptions = {}): Parsed {
  const parsed = parseObject(text, line);
  if (!parsed.ok) return parsed;

  const fields = new FieldReader(parsed.value);
  const workId = fields.requiredText('id');
  const title = fields.requiredText('title');
  const links = dependencies(fields, workId);
  const blockedBy = [...new Set(links.filter((link) => link.type === BLOCKING).map((link) => link.id))];
  const request = present({
    kind: options.kind ?? 'generic',
    workId,
    title,
    input: content(title, fields, links),
    source: `beads:${workId}`,
    priority: fields.wholeNumber('priority'),
    blockedBy: blockedBy.length > 0 ? blockedBy : undefined,
  });
  return fields.issue === null ? checkRequest(request, line) : badField(line, fields.issue);
}

interface Link {
  readonly type: string;
  readonly id: string;
}

/** What the issue depends on. A record of another issue's dependency has no place here and is refused. */
function dependencies(fields: FieldReader, workId: string): Link[] {
  return fields.objects('dependencies').map((record, index) => {
    const path = `/dependencies/${index}`;
    const owner = record['issue_id'] ?? workId;
    if (owner !== workId) fields.reject(`${path}/issue_id`, `must be this issue, ${workId}`);
    return {
      type: textOf(record, 'type', path, fields),
      id: textOf(record, 'depends_on_id', path, fields),
    };
  });
}

function textOf(record: JsonObject, name: string, path: string, fields: FieldReader): string {
  const value = record[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  fields.reject(`${path}/${name}`, 'is required');
  return '';
}

/** The input: the same issue gives the same content, whatever the order its labels and links are listed in. */
function content(title: string, fields: FieldReader, links: readonly Link[]): Json {
  const texts = CONTENT_TEXT.map((name) => [name, fields.filledText(name)] as const);
  const labels = fields.names('labels').toSorted();
  const others = links
    .filter((link) => link.type !== BLOCKING && link.type !== PARENT)
    .map((link) => `${link.type} ${link.id}`);
  const parents = links.filter((link) => link.type === PARENT).map((link) => link.id);
  return {
    title,
    ...(parents[0] === undefined ? {} : { parent: parents[0] }),
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    ...(labels.length > 0 ? { labels } : {}),
    ...(others.length > 0 ? { links: [...new Set(others)].toSorted() } : {}),
  };
}
