import { CASE_KIND } from '../core/case.js';
import { canonicalJson, sha256, derivedWorkId, identityOf, type Identity } from '../core/identity.js';
import type { Kind } from '../core/kind.js';
import { Refusal, invalid } from '../core/refusals.js';
import { kindNamed, type Desk } from './desk.js';
import type { RegisterRequest } from './requests.js';

/** A registration with everything derived that can be derived without the database. */
export interface Prepared {
  readonly request: RegisterRequest;
  readonly kind: Kind;
  readonly workId: string;
  readonly identitySha256: string;
  readonly inputText: string;
  readonly inputSha256: string;
}

/** @throws Refusal INVALID naming the path of everything that is wrong with the input */
export function prepare(desk: Desk, request: RegisterRequest): Prepared {
  if (request.kind === CASE_KIND)
    throw invalid('/kind', 'an exception is recorded with POST /v1/exceptions, which keeps its origin');
  return prepareAny(desk, request);
}

/** The same, for the one operation that registers cases. */
export function prepareAny(desk: Desk, request: RegisterRequest): Prepared {
  const kind = kindNamed(desk, request.kind);
  const issues = kind.inputCheck(request.input);
  if (issues.length > 0) {
    const errors = issues.map((issue) => ({ path: `/input${issue.path}`, message: issue.message }));
    throw new Refusal('INVALID', errors.map((error) => `${error.path} ${error.message}`).join('; '), {
      errors,
    });
  }
  const identity: Identity = identityOf(kind, request.input, request.workId ?? '');
  if (!identity.ok)
    throw invalid(`/input${identity.missing}`, 'is part of the identity and must have a value');
  if (kind.identity.length === 0 && request.workId === undefined) {
    throw invalid('/workId', `is required for kind ${kind.name}: it is the work's identity`);
  }
  const inputText = canonicalJson(request.input);
  return {
    request,
    kind,
    workId: request.workId ?? derivedWorkId(kind.name, identity.sha256),
    identitySha256: identity.sha256,
    inputText,
    inputSha256: sha256(inputText),
  };
}
