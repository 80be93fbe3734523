import { contentSha256, canonicalJson, derivedWorkId, identityOf } from '../core/identity.js';
import { assertPlainJson } from '../core/plain-json.js';
import type { Kind } from '../core/kind.js';
import type { Position } from '../core/work.js';
import { put, type StandaloneParts } from './standalone-wait.js';

/** What starts a work where there is no desk to register it. */
export interface WorkRequest {
  readonly kind?: string;
  /** Required for a kind without identity fields; otherwise derived from them. */
  readonly workId?: string;
  readonly input?: unknown;
}

/** Whose works they are where nobody authenticates anybody. */
export const STANDALONE_TENANT = 'standalone';

/** A request that cannot become a work. The thread has none then, so the next request is a new beginning. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
}

/**
 * Makes the first position of a request: DISCOVERED, with identity and hash as a desk would give them.
 * @throws RequestInvalid with everything that is wrong
 */
export async function intake(request: WorkRequest | undefined, parts: StandaloneParts): Promise<Position> {
  const name = request?.kind ?? 'generic';
  const kind = parts.kinds.get(name);
  if (!kind)
    throw new RequestInvalid(`request.kind: no kind ${name}; known: ${[...parts.kinds.keys()].join(', ')}`);
  if (request?.input === undefined)
    throw new RequestInvalid('request.input is missing: send {"request": {"kind", "workId", "input"}}');
  const { input } = request;
  const issues = [...assertPlainJson(input), ...kind.inputCheck(input)];
  if (issues.length > 0)
    throw new RequestInvalid(issues.map((each) => `request.input${each.path} ${each.message}`).join('; '));
  await put(parts.content, STANDALONE_TENANT, canonicalJson(input));
  return {
    tenant: STANDALONE_TENANT,
    workId: workIdOf(kind, request),
    kind: kind.name,
    status: 'DISCOVERED',
    round: 1,
    step: 0,
    inputVersion: 1,
    inputSha256: contentSha256(input),
    artifact: null,
    author: null,
    holder: null,
    findings: [],
    gate: null,
    approval: null,
    returnTo: null,
  };
}

function workIdOf(kind: Kind, { workId, input }: WorkRequest): string {
  const identity = identityOf(kind, input, workId ?? '');
  if (!identity.ok)
    throw new RequestInvalid(
      `request.input${identity.missing} is part of the identity and must have a value`,
    );
  if (workId !== undefined && workId !== '') return workId;
  if (identity.key === null)
    throw new RequestInvalid(`request.workId is required for kind ${kind.name}: it is the work's identity`);
  return derivedWorkId(kind.name, identity.sha256);
}
