import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Refusal, RefusalCode } from '../../core/refusals.js';

/** What to do next, where it is something else for a model with tools than for a program with HTTP. */
const NEXT: Partial<Record<RefusalCode, string>> = {
  ARTIFACT_UNKNOWN: 'Call submit_result again with the result itself as `content` instead of its sha256.',
  STALE_INTERRUPT:
    'Do not send this again. Call get_work: if it is still yours to answer, decide anew and answer its current wait.interruptId; else call claim_next.',
  INPUT_CHANGED:
    'Do not send this again. You still hold the work: call get_work, read what changed, go on with the current input version, and answer its new wait.interruptId.',
  ALREADY_CLAIMED: 'Leave it to its holder. Call claim_next for another.',
  NOT_HOLDER: 'Call claim first; only the holder may answer. If somebody else holds it, call claim_next.',
  NO_PROGRESS: 'Call renew with progress that has changed, save_partial, or release.',
  ACTION_NOT_ALLOWED: 'Call get_work and see its status and what it waits for.',
  NOT_FOUND: 'Check the ID with list_ready.',
};

/** An answer both for programs (structured) and for models that read text only. */
export function answered(value: object): CallToolResult {
  // Through JSON, so that what is in the structure is exactly what is in the text.
  const text = JSON.stringify(value);
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

/** A refusal as a tool error: its code, what is current, what to do next. */
export function refused(refusal: Refusal): CallToolResult {
  const { code, title, detail, details } = refusal;
  return {
    ...answered({ code, title, detail, next: NEXT[code] ?? refusal.next, ...details }),
    isError: true,
  };
}

/** Something broke on our side or on the way; whether the call was carried out is not known. */
export function failed(detail: string): CallToolResult {
  const next = 'Try the same call again with the same idempotencyKey; if it stays, tell the operator.';
  return { ...answered({ code: 'INTERNAL', title: 'Something went wrong', detail, next }), isError: true };
}
