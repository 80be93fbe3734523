import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { readImport } from '../../importing/read-import.js';
import { parseRequest } from '../../operations/requests.js';
import { bodyOf, refuseDeclared } from './request-body.js';
import type { Call } from './route.js';

export const importQuery = z.object({
  /** The kind of lines that name none. */
  kind: z.string().min(1).max(LIMITS.name_chars).default('generic'),
});

/**
 * Reads lines and answers them in order while they still arrive; neither side is ever held as a whole. An error
 * of ours in the middle cuts the answer off, so that a part is never taken for the whole.
 */
export function importStream(call: Call): Response {
  refuseDeclared(call.request, Infinity);
  const { kind } = parseRequest(importQuery, call.query);
  const outcomes = call.door.importWorks(readImport('jsonl', bodyOf(call.request), { kind }));
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await outcomes.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      } catch (error) {
        if (!call.signal.aborted) call.report(error);
        // The adapter writes this error's text to the caller, so it must not be the real one.
        controller.error(new Error('the answer broke off here'));
      }
    },
    async cancel() {
      await outcomes.return(undefined);
    },
  });
  return new Response(stream, {
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
  });
}
