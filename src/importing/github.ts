import type { Json } from '../core/kind.js';
import type { JsonObject, Parsed, ParseOptions } from './import-request.js';
import { badField, badLine, checkObject, checkRequest, type BadLine } from './import-request.js';
import { FieldReader, present } from './fields.js';

const ISSUE_URL = /^https?:\/\/[^/]+\/([\w.-]+)\/([\w.-]+)\/(?:issues|pull)\/(\d+)$/;
const CODE_CHANGE = 'code-change';

/**
 * One issue as `gh issue list --json number,title,body,labels,url,state` prints it, already parsed. Its kind is
 * `generic`, or `code-change` when the options ask for that; the latter needs the `url`, which names the repository.
 */
export function parseGithub(element: unknown, line: number, options: ParseOptions = {}): Parsed {
  const checked = checkObject(element, line);
  if (!checked.ok) return checked;

  const fields = new FieldReader(checked.value);
  const title = fields.requiredText('title');
  const number = issueNumber(fields);
  const url = fields.filledText('url');
  const repository = url === undefined ? undefined : repositoryOf(url, number, fields);
  const kind = options.kind ?? 'generic';
  if (kind === CODE_CHANGE && url === undefined) {
    return badLine(line, '/url', 'is required for code-change: it names the repository');
  }
  const change = { repository, issueNumber: number, title, description: fields.text('body') ?? '' };
  const request = present({
    kind,
    workId: repository === undefined ? `gh-${number}` : `gh-${repository.replace('/', '-')}-${number}`,
    title,
    input: (kind === CODE_CHANGE
      ? change
      : present({ ...change, labels: labels(fields), state: fields.filledText('state'), url })) as Json,
    source: url ?? `github:#${number}`,
  });
  return fields.issue === null ? checkRequest(request, line) : badField(line, fields.issue);
}

/** A whole array of issues, as `gh` prints it; `line` counts its elements from 1. */
export function* parseGithubArray(text: string, options: ParseOptions = {}): Generator<Parsed> {
  const elements = parseArray(text);
  if (!Array.isArray(elements)) {
    yield elements;
    return;
  }
  for (const [index, element] of elements.entries()) yield parseGithub(element, index + 1, options);
}

function parseArray(text: string): unknown[] | BadLine {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown[]) : badLine(1, '', 'must be an array of issues');
  } catch (error) {
    return badLine(1, '', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function issueNumber(fields: FieldReader): number {
  const number = fields.wholeNumber('number');
  if (number === undefined) fields.reject('/number', 'is required');
  else if (number < 1) fields.reject('/number', 'must be 1 or more');
  return number ?? 0;
}

function repositoryOf(url: string, number: number, fields: FieldReader): string | undefined {
  const [, owner, name, urlNumber] = ISSUE_URL.exec(url) ?? [];
  if (owner === undefined || name === undefined) {
    return fields.reject('/url', 'must be an issue, such as https://host/owner/repository/issues/1');
  }
  if (Number(urlNumber) !== number) return fields.reject('/url', `must be the URL of number ${number}`);
  return `${owner}/${name}`;
}

/** Names of the labels, sorted: their order and colour say nothing about the issue. */
function labels(fields: FieldReader): string[] | undefined {
  const names = fields.objects('labels').map((label: JsonObject, index) => {
    if (typeof label['name'] === 'string') return label['name'];
    fields.reject(`/labels/${index}/name`, 'is required');
    return '';
  });
  return names.length > 0 ? [...new Set(names)].toSorted() : undefined;
}
