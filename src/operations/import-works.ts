import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import { Refusal, type RefusalCode } from '../core/refusals.js';
import type { Authenticated } from '../gates/authorization.js';
import { keyedRequest } from '../gates/idempotency.js';
import { run, sql } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { parseRequest, registerRequest } from './requests.js';
import { prepare } from './prepare.js';
import { register, registerOnce } from './register.js';

/** A line of an import: a request, or why it is none. The parsers of `src/importing` give these. */
export type ImportLine =
  | { readonly ok: true; readonly line: number; readonly request: unknown }
  | {
      readonly ok: false;
      readonly line: number;
      readonly code: 'INVALID' | 'TOO_LARGE';
      readonly message: string;
      readonly path: string;
    };

export interface ImportOutcome {
  readonly line: number;
  readonly outcome: 'created' | 'existing' | 'corrected' | 'follow_up' | 'refused';
  readonly workId?: string;
  readonly code?: RefusalCode;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Lines committed together: many enough to share a sync, few enough that others' writes get their turn. */
const BATCH_LINES = 100;

/**
 * Registers line by line, in order, as the stream arrives; a bad line is answered and never stops the rest. An
 * outcome is given only after its registration is durable. Threads are started in the background afterwards.
 */
export async function* importWorks(
  desk: Desk,
  who: Authenticated,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
): AsyncGenerator<ImportOutcome> {
  let batch: ImportLine[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH_LINES) continue;
    yield* await registerBatch(desk, who, batch);
    batch = [];
  }
  yield* await registerBatch(desk, who, batch);
}

async function registerBatch(
  desk: Desk,
  who: Authenticated,
  batch: readonly ImportLine[],
): Promise<ImportOutcome[]> {
  // One job each, so that one refused line rolls back nothing but itself; the store commits them together.
  return await Promise.all(batch.map((line) => registerLine(desk, who, line)));
}

async function registerLine(desk: Desk, who: Authenticated, line: ImportLine): Promise<ImportOutcome> {
  if (!line.ok)
    return {
      line: line.line,
      outcome: 'refused',
      code: line.code,
      detail: line.message,
      errors: [{ path: line.path, message: line.message }],
    };
  try {
    const request = parseRequest(registerRequest, line.request);
    if (request.correction) {
      const { outcome, work } = await register(desk, who, line.request);
      return { line: line.line, outcome, workId: work.work_id };
    }
    const prepared = prepare(desk, request);
    const result = await desk.store.write(function* () {
      const registered = yield* registerOnce(
        desk,
        who,
        prepared,
        keyedRequest(undefined, 'register', null, null),
      );
      // Nobody waits for the thread of an imported work: whoever recovers first, or first answers it, starts it.
      yield* run(
        sql`UPDATE works SET applier = NULL, applier_until = NULL WHERE tenant = ${who.tenant} AND work_id = ${registered.row.work_id} AND checkpoint_id IS NULL`,
      );
      return registered;
    });
    return {
      line: line.line,
      outcome: result.kind === 'done' ? result.outcome : 'existing',
      workId: result.row.work_id,
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      line: line.line,
      outcome: 'refused',
      code: error.code,
      detail: keptText(error.detail, LIMITS.reference_chars),
      ...(error.details.errors ? { errors: error.details.errors } : {}),
    };
  }
}
