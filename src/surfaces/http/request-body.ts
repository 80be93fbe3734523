import { LIMITS } from '../../core/limits.js';
import { Refusal, invalid } from '../../core/refusals.js';

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/**
 * The JSON of a body; undefined for an empty one. Stops reading as soon as the limit is passed.
 * @throws Refusal TOO_LARGE, INVALID for what is no JSON or does not say that it is
 */
export async function readJson(
  request: Request,
  limit_bytes: number = LIMITS.jsonBody_bytes,
): Promise<unknown> {
  if (request.body === null) return undefined;
  refuseDeclared(request, limit_bytes);
  const bytes = await collect(bodyOf(request), limit_bytes);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!JSON_TYPE.test(type)) {
    throw invalid('', `needs Content-Type: application/json, not ${JSON.stringify(type.slice(0, 100))}`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message.slice(0, 200) : 'it is not UTF-8';
    throw invalid('', `is not JSON: ${why}`);
  }
}

/**
 * A body that says itself that it is too large, or that it is packed, is refused before any of it is read: what a
 * small packed body unfolds to has no bound.
 */
export function refuseDeclared(request: Request, limit_bytes: number): void {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity')
    throw invalid('/Content-Encoding', 'bodies are taken as they are: send this one unpacked');
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limit_bytes) throw tooLarge(limit_bytes);
}

/** The body's bytes as they arrive; ends early without an error only where the sender ended it. */
export async function* bodyOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  // Node's ReadableStream is async iterable; the DOM type of Request does not say so everywhere.
  yield* request.body as unknown as AsyncIterable<Uint8Array>;
}

async function collect(chunks: AsyncIterable<Uint8Array>, limit_bytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > limit_bytes) throw tooLarge(limit_bytes);
    parts.push(chunk);
  }
  return Buffer.concat(parts, length);
}

function tooLarge(limit_bytes: number): Refusal {
  return new Refusal('TOO_LARGE', `a body here has at most ${limit_bytes} bytes`);
}
