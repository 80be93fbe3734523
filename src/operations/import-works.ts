import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import { Refusal, type RefusalCode } from '../core/refusals.js';
import type { Authenticated } from '../gates/authorization.js';
import { keyedRequest } from '../gates/idempotency.js';
import type { Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { parseRequest, registerRequest } from './requests.js';
import { prepare, type Prepared } from './prepare.js';
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

/** Lines that are read before any is answered. */
const BATCH_LINES = 256;
/**
 * Lines of one transaction: many enough to share its costs, few enough that others' writes get their turn and that,
 * where transactions run side by side, several do.
 */
const TOGETHER_LINES = 32;

/**
 * Registers line by line, in order, as the stream arrives; a bad line is answered and never stops the rest. An
 * outcome is given only after its registration is durable. Threads are started by recovery once the import is over, or by
 * whoever answers one first.
 */
export async function* importWorks(
  desk: Desk,
  who: Authenticated,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
): AsyncGenerator<ImportOutcome> {
  let batch: ImportLine[] = [];
  importing.set(desk, (importing.get(desk) ?? 0) + 1);
  try {
    for await (const line of lines) {
      batch.push(line);
      if (batch.length < BATCH_LINES) continue;
      yield* await registerBatch(desk, who, batch);
      batch = [];
    }
    yield* await registerBatch(desk, who, batch);
  } finally {
    importing.set(desk, (importing.get(desk) ?? 1) - 1);
  }
}

const importing = new WeakMap<Desk, number>();

/** Whether this process takes an import in: the threads of its works are started when it is over, not beside it. */
export const isImporting = (desk: Desk): boolean => (importing.get(desk) ?? 0) > 0;

async function registerBatch(
  desk: Desk,
  who: Authenticated,
  batch: readonly ImportLine[],
): Promise<ImportOutcome[]> {
  const parts: ImportLine[][] = [];
  for (let from = 0; from < batch.length; from += TOGETHER_LINES)
    parts.push(batch.slice(from, from + TOGETHER_LINES));
  return (await Promise.all(parts.map((part) => registerTogether(desk, who, part)))).flat();
}

/** A line that is refused has written nothing, so the others of its transaction stand; should anything else fail, each goes alone. */
async function registerTogether(
  desk: Desk,
  who: Authenticated,
  lines: readonly ImportLine[],
): Promise<ImportOutcome[]> {
  const ready = lines.map((line) => readied(desk, line));
  const alone = (): Promise<ImportOutcome[]> =>
    Promise.all(lines.map((line) => registerLine(desk, who, line)));
  // A correction is an answer to a wait, and those are given one by one.
  if (ready.some((line) => 'corrects' in line)) return await alone();
  try {
    return await desk.store.write(function* () {
      const outcomes: ImportOutcome[] = [];
      for (const line of ready) {
        if ('prepared' in line) outcomes.push(yield* registered(desk, who, line));
        else if ('outcome' in line) outcomes.push(line);
      }
      return outcomes;
    });
  } catch (error) {
    if (lines.length === 1) throw error;
    return await alone();
  }
}

interface Ready {
  readonly line: number;
  readonly prepared: Prepared;
}

function readied(desk: Desk, line: ImportLine): Ready | ImportOutcome | { readonly corrects: true } {
  if (!line.ok) return unreadable(line);
  try {
    const request = parseRequest(registerRequest, line.request);
    return request.correction ? { corrects: true } : { line: line.line, prepared: prepare(desk, request) };
  } catch (error) {
    return refusedLine(line.line, error);
  }
}

function* registered(desk: Desk, who: Authenticated, { line, prepared }: Ready): Tx<ImportOutcome> {
  try {
    const result = yield* registerOnce(desk, who, prepared, NO_KEY, false);
    const outcome = result.kind === 'done' ? result.outcome : 'existing';
    return { line, outcome, workId: result.row.work_id };
  } catch (error) {
    return refusedLine(line, error);
  }
}

const NO_KEY = keyedRequest(undefined, 'register', null, null);

async function registerLine(desk: Desk, who: Authenticated, line: ImportLine): Promise<ImportOutcome> {
  const ready = readied(desk, line);
  if ('outcome' in ready) return ready;
  if ('prepared' in ready) return await desk.store.write(() => registered(desk, who, ready));
  try {
    const { outcome, work } = await register(desk, who, line.ok ? line.request : null);
    return { line: line.line, outcome, workId: work.work_id };
  } catch (error) {
    return refusedLine(line.line, error);
  }
}

function unreadable(line: Extract<ImportLine, { ok: false }>): ImportOutcome {
  const { code, message, path } = line;
  return { line: line.line, outcome: 'refused', code, detail: message, errors: [{ path, message }] };
}

/** @throws whatever is no refusal */
function refusedLine(line: number, error: unknown): ImportOutcome {
  if (!(error instanceof Refusal)) throw error;
  return {
    line,
    outcome: 'refused',
    code: error.code,
    detail: keptText(error.detail, LIMITS.reference_chars),
    ...(error.details.errors ? { errors: error.details.errors } : {}),
  };
}
