import { REFUSALS, type Refusal, type RefusalCode } from '../../core/refusals.js';

/** An error as RFC 9457 tells it, with the extensions of the contract. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** A refusal's code, or INTERNAL for what is our fault. */
  readonly code: RefusalCode | 'INTERNAL';
  readonly [extension: string]: unknown;
}

export const PROBLEM_TYPE = 'application/problem+json';

/** A refusal as a problem, with what is current and what to do next. */
export function problemOf(refusal: Refusal): Problem {
  const { retryAfter_ms, ...details } = refusal.details;
  void retryAfter_ms;
  return {
    type: `urn:signalbox:problem:${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    detail: refusal.detail,
    code: refusal.code,
    next: refusal.next,
    ...details,
  };
}

/** The one answer for every error that is no refusal: nothing of our inside, only where to find it in the log. */
export function internalProblem(requestId: string): Problem {
  return {
    type: 'urn:signalbox:problem:INTERNAL',
    title: 'Something went wrong here',
    status: 500,
    detail: `The server logged this as request ${requestId}.`,
    code: 'INTERNAL',
    next: 'Try again with the same idempotency key; if it stays, tell the operator the request ID.',
  };
}

export function methodProblem(method: string, allowed: readonly string[]): Problem {
  return {
    type: 'urn:signalbox:problem:METHOD_NOT_ALLOWED',
    title: 'This method does not exist here',
    status: 405,
    detail: `${method} is not one of ${allowed.join(', ')}`,
    code: 'INVALID',
    next: 'See /openapi.json for what each path takes.',
  };
}

export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  return Response.json(problem, {
    status: problem.status,
    headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', ...headers },
  });
}

/** A refusal as a response, with the headers that its status asks for. */
export function refusalResponse(refusal: Refusal): Response {
  return problemResponse(problemOf(refusal), headersOf(refusal));
}

function headersOf(refusal: Refusal): Record<string, string> {
  if (refusal.code === 'UNAUTHENTICATED') return { 'www-authenticate': 'Bearer realm="signalbox"' };
  if (refusal.status === REFUSALS.RATE_LIMITED.status || refusal.status === REFUSALS.BUSY.status) {
    return { 'retry-after': String(Math.max(1, Math.ceil((refusal.details.retryAfter_ms ?? 1000) / 1000))) };
  }
  return {};
}
