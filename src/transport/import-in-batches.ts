import type { ImportLine, ImportOutcome } from '../operations/import-works.js';
import type { HttpCaller } from './http-caller.js';

/** A batch is one request: small enough to be sent again by hand, large enough to share the server's commits. */
const BATCH_LINES = 200;
const BATCH_CHARS = 512 * 1024;

/**
 * Registers lines in order and gives their outcomes as they come, holding one batch at a time. Lines that were no
 * request in the first place are answered here, at their place.
 */
export async function* importInBatches(
  http: HttpCaller,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
): AsyncGenerator<ImportOutcome> {
  let batch: ImportLine[] = [];
  let texts: string[] = [];
  let chars = 0;
  for await (const line of lines) {
    batch.push(line);
    if (line.ok) {
      const text = JSON.stringify(line.request) ?? 'null';
      texts.push(text);
      chars += text.length;
    }
    if (batch.length < BATCH_LINES && chars < BATCH_CHARS) continue;
    yield* await send(http, batch, texts);
    [batch, texts, chars] = [[], [], 0];
  }
  if (batch.length > 0) yield* await send(http, batch, texts);
}

async function send(
  http: HttpCaller,
  batch: readonly ImportLine[],
  texts: readonly string[],
): Promise<ImportOutcome[]> {
  const answers = texts.length === 0 ? [] : await outcomesOf(http, texts);
  let next = 0;
  return batch.map((line) => {
    if (line.ok) return { ...(answers[next++] as ImportOutcome), line: line.line };
    const { code, message, path } = line;
    return { line: line.line, outcome: 'refused', code, detail: message, errors: [{ path, message }] };
  });
}

async function outcomesOf(http: HttpCaller, texts: readonly string[]): Promise<ImportOutcome[]> {
  const response = await http.send({
    method: 'POST',
    path: '/works/import',
    raw: `${texts.join('\n')}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const answers = (await http.whole(response.text())).split('\n').filter((text) => text !== '');
  return await http.whole(parsed(answers, texts.length));
}

/** An answer with fewer lines than were sent, or with another line at its end, broke off. */
async function parsed(answers: readonly string[], sent: number): Promise<ImportOutcome[]> {
  await Promise.resolve();
  const outcomes = answers.map((text) => JSON.parse(text) as ImportOutcome);
  if (outcomes.length !== sent) throw new Error(`${outcomes.length} of ${sent} lines were answered`);
  return outcomes;
}
