import { wellFormed } from '../core/kept-text.js';
import { REFUSALS, Refusal, invalid, type RefusalCode } from '../core/refusals.js';

export interface ConnectOptions {
  /** Where the server is, such as `http://127.0.0.1:4114`. */
  readonly url: string;
  readonly token: string;
  /** In place of the platform's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** Act for another principal; needs the role operator or owner. Both names go into history. */
  readonly onBehalfOf?: { readonly principal: string; readonly reason: string };
}

/** The server was not reached, or the connection broke: whether the request was carried out is not known. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The server answered with an error that is no refusal. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
  constructor(
    readonly status: number,
    detail: string,
    readonly requestId: string | null,
  ) {
    super(detail);
  }
}

export interface HttpRequest {
  readonly method: string;
  /** Under `/v1`, with its variables filled in. */
  readonly path: string;
  readonly query?: unknown;
  readonly json?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends requests with the token, and turns what is no success into the error it stands for. */
export class HttpCaller {
  private readonly base: string;
  private readonly fetch: typeof globalThis.fetch;

  constructor(private readonly options: ConnectOptions) {
    this.base = `${options.url.replace(/(?<!\/)\/+$/, '')}/v1`;
    this.fetch = options.fetch ?? globalThis.fetch;
  }

  /**
   * The successful response.
   * @throws Refusal with the server's code and details; Unreachable; ServerFault
   */
  async send(request: HttpRequest): Promise<Response> {
    const [url, init] = [this.urlOf(request), this.initOf(request)];
    let response: Response;
    try {
      response = await this.fetch(url, init);
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw new Unreachable(`cannot reach ${this.options.url}: ${causeOf(error)}`, { cause: error });
    }
    if (response.ok) return response;
    throw await errorFrom(response);
  }

  /** The JSON of a successful response; null for one without a body. */
  async json(request: HttpRequest): Promise<unknown> {
    const response = await this.send(request);
    return response.status === 204 ? null : await this.whole(response.json());
  }

  /** The whole of an answer that has begun. @throws Unreachable when it breaks off */
  async whole<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      throw new Unreachable(`the answer of ${this.options.url} broke off: ${causeOf(error)}`, {
        cause: error,
      });
    }
  }

  private urlOf({ path, query }: HttpRequest): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value === undefined || value === null) continue;
      for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
    }
    return search.size === 0 ? `${this.base}${path}` : `${this.base}${path}?${search.toString()}`;
  }

  private initOf({ method, json, raw, headers, signal }: HttpRequest): RequestInit {
    const { token, onBehalfOf } = this.options;
    const body = json === undefined ? raw : jsonText(json);
    return {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(onBehalfOf
          ? {
              'x-signalbox-on-behalf-of': encodeURIComponent(wellFormed(onBehalfOf.principal)),
              'x-signalbox-reason': encodeURIComponent(wellFormed(onBehalfOf.reason)),
            }
          : {}),
        ...headers,
      },
      // Node takes an async iterable as a body, and asks for `duplex` with every stream; the DOM types know neither.
      ...(body === undefined ? {} : ({ body, duplex: 'half' } as unknown as RequestInit)),
      ...(signal ? { signal } : {}),
    };
  }
}

/** @throws Refusal INVALID for what JSON cannot say, as the desk refuses it where it is in this process */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Endless nesting ends the stack; circles and big integers have no JSON.
    const why = error instanceof RangeError ? 'nests too deeply' : 'is not JSON';
    throw invalid('', why);
  }
}

async function errorFrom(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '');
  const problem = problemFrom(text);
  const code = problem['code'];
  const detail = typeof problem['detail'] === 'string' ? problem['detail'] : `HTTP ${response.status}`;
  if (typeof code !== 'string' || !Object.hasOwn(REFUSALS, code)) {
    return new ServerFault(response.status, detail, response.headers.get('x-request-id'));
  }
  const details: Record<string, unknown> = {};
  for (const name of ['current', 'errors', 'receiptId', 'holder', 'since', 'blockedBy', 'changes', 'kept']) {
    if (problem[name] !== undefined) details[name] = problem[name];
  }
  // Said otherwise than the code's own words, it was meant for this very refusal.
  if (problem['next'] !== REFUSALS[code as RefusalCode].next) details['next'] = problem['next'];
  const retryAfter_s = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(retryAfter_s)) details['retryAfter_ms'] = retryAfter_s * 1000;
  return new Refusal(code as RefusalCode, detail, details);
}

function problemFrom(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Node hides the reason of a failed fetch in its cause. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = (cause as { code?: unknown }).code;
  return cause.message || (typeof code === 'string' ? code : cause.name);
}
