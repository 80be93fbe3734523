import { Refusal } from '../../core/refusals.js';
import type { Out } from './out.js';

/** 0 done, 1 refused, 2 wrong usage, 3 cannot reach or open. */
export type ExitCode = 0 | 1 | 2 | 3;

/** The command line itself is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Neither a server nor a data folder was there to work on. */
export class CannotReach extends Error {
  override readonly name = 'CannotReach';
}

/**
 * Tells what went wrong, on stderr for people and, with --json, as one object on stdout for programs.
 * @returns the exit code: 1 refused, 2 wrong usage, 3 cannot reach or open
 */
export function report(error: unknown, out: Out): ExitCode {
  if (error instanceof Refusal) {
    const { code, detail, status, title, next, details } = error;
    out.failure({ code, detail, status, title, next, ...details }, refusalText(error));
    return 1;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) {
    out.failure({ code: 'USAGE', detail: message }, `usage: ${message}`);
    return 2;
  }
  out.failure({ code: codeOf(error), detail: message }, `cannot: ${message}`);
  return 3;
}

function refusalText(refusal: Refusal): string {
  const { current, holder, since, errors, blockedBy, receiptId } = refusal.details;
  const lines = [`${refusal.code}: ${refusal.detail}`];
  for (const issue of errors ?? []) {
    if (!refusal.detail.includes(issue.message)) lines.push(`  ${issue.path || '/'}: ${issue.message}`);
  }
  if (current) {
    const wait = current.interruptId === null ? '' : `, interrupt ${current.interruptId}`;
    lines.push(`now: ${current.status}${wait}, input version ${current.inputVersion}`);
    if (current.artifactSha256 !== null) lines.push(`artifact: ${current.artifactSha256}`);
  }
  if (holder !== undefined) lines.push(`holder: ${holder}${since === undefined ? '' : `, since ${since}`}`);
  if (blockedBy?.length) lines.push(`blocked by: ${blockedBy.join(', ')}`);
  if (receiptId !== undefined) lines.push(`receipt: ${receiptId}`);
  lines.push(`next: ${refusal.next}`);
  return lines.join('\n');
}

/** A word for programs to tell these apart by: the error's own name, in the spelling of the codes. */
function codeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : 'Error';
  return name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}
