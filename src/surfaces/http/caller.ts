import { LIMITS } from '../../core/limits.js';
import { Refusal, invalid } from '../../core/refusals.js';
import type { CallOptions } from '../../operations/answer-wait.js';
import type { Desk } from '../../operations/desk.js';
import { authenticate } from '../../operations/tokens.js';
import type { Who } from './route.js';

/** The token of `Authorization: Bearer …`. @throws Refusal UNAUTHENTICATED when there is none */
export function bearerToken(headers: Headers): string {
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token === undefined) throw new Refusal('UNAUTHENTICATED', 'this needs Authorization: Bearer <token>');
  return token;
}

/**
 * Who sends a request, by its token and, where it acts for somebody else, for whom and why.
 * @throws Refusal UNAUTHENTICATED, INVALID for acting on behalf without a reason
 */
export async function callerOf(desk: Desk, headers: Headers, token: string): Promise<Who> {
  const who = await authenticate(desk, token);
  const principal = headerText(headers, 'x-signalbox-on-behalf-of');
  if (principal === null) return who;
  const reason = headerText(headers, 'x-signalbox-reason');
  if (reason === null) throw invalid('/X-Signalbox-Reason', 'is required to act on behalf of somebody');
  if (reason.length > LIMITS.reason_chars)
    throw invalid('/X-Signalbox-Reason', `is longer than ${LIMITS.reason_chars} characters`);
  return { ...who, onBehalfOf: { principal, reason } };
}

/** How a call wants to be answered: `Idempotency-Key`, and `?wait_ms=` or `Prefer: respond-async` or `wait=<seconds>`. */
export function optionsOf(headers: Headers, wait: string | string[] | undefined): CallOptions {
  const idempotencyKey = headers.get('idempotency-key');
  const wait_ms = waitOf(headers, wait);
  return {
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    ...(wait_ms === undefined ? {} : { wait_ms }),
  };
}

/** Whether the caller would rather have 202 at once than wait for the apply. */
export function prefersAsync(headers: Headers): boolean {
  return /(?:^|[,;\s])respond-async(?:$|[,;\s])/i.test(headers.get('prefer') ?? '');
}

function waitOf(headers: Headers, wait: string | string[] | undefined): number | undefined {
  if (wait !== undefined) {
    const wait_ms = Number(wait);
    if (!Number.isInteger(wait_ms) || wait_ms < 0 || wait_ms > LIMITS.applyWait_ms || wait === '') {
      throw invalid('/wait_ms', `must be a whole number from 0 to ${LIMITS.applyWait_ms}`);
    }
    return wait_ms;
  }
  return prefersAsync(headers) ? 0 : undefined;
}

/** Header values are bytes; names and reasons may hold any letter, so they are sent percent-encoded where they do. */
function headerText(headers: Headers, name: string): string | null {
  const raw = headers.get(name);
  if (raw === null || raw.trim() === '') return null;
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
