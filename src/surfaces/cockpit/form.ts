import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../../core/limits.js';
import { Refusal, invalid } from '../../core/refusals.js';
import { sha256 } from '../../core/identity.js';

/** What a form sent; '' where a name has no value. */
export interface Fields {
  readonly get: (name: string) => string;
  readonly all: (name: string) => readonly string[];
  /** Everything that was sent, in its order, with the line ends that browsers send. */
  readonly entries: () => readonly (readonly [name: string, value: string])[];
}

export const CSRF_FIELD = 'csrf';

/** The only names of which a form may bring several. Of any other nobody could say which one was meant. */
const SEVERAL: ReadonlySet<string> = new Set(['work', 'wait', 'role']);

/**
 * Forms are taken from our own pages only. Browsers name the sender of every POST in `Origin`; a request that names
 * none is no browser's form.
 * @throws Refusal FORBIDDEN
 */
export function requireOwnOrigin(request: Request): void {
  const origin = request.headers.get('origin');
  const host = request.headers.get('host');
  if (origin !== null && host !== null && URL.canParse(origin) && new URL(origin).host === host) return;
  throw new Refusal('FORBIDDEN', 'forms are taken from this site itself only');
}

/** Whether what a form carries is of this session. */
export function isCsrf(given: string | null, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given ?? '')), Buffer.from(sha256(expected)));
}

/** @throws Refusal FORBIDDEN when what the form carries is not of this session */
export function requireCsrf(given: string | null, expected: string): void {
  if (isCsrf(given, expected)) return;
  throw new Refusal(
    'FORBIDDEN',
    'this form belongs to another session; go back, load the page anew, and send it again',
  );
}

/** Reads a form, no more of it than a form may hold. @throws Refusal TOO_LARGE, INVALID */
export async function readForm(request: Request): Promise<Fields> {
  const type = request.headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) throw invalid('', 'is not a form');
  const decoder = new TextDecoder();
  let text = '';
  if (request.body !== null) {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > LIMITS.jsonBody_bytes) {
        throw new Refusal('TOO_LARGE', `a form has at most ${LIMITS.jsonBody_bytes} bytes`);
      }
    }
  }
  const values = new URLSearchParams(text + decoder.decode());
  const named = new Set<string>();
  for (const name of values.keys()) {
    if (named.has(name) && !SEVERAL.has(name))
      throw invalid(`/${name.slice(0, LIMITS.name_chars)}`, 'is in the form twice');
    named.add(name);
  }
  return {
    // Browsers send line ends of a text field as CRLF; what people typed has plain ones.
    get: (name) => (values.get(name) ?? '').replaceAll('\r\n', '\n'),
    all: (name) => values.getAll(name),
    entries: () => [...values.entries()],
  };
}
