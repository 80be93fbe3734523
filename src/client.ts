import type { Door } from './operations/door.js';
import { checkIdempotencyKey } from './core/idempotency-key.js';
import { sha256 } from './core/identity.js';
import { wellFormed } from './core/kept-text.js';
import { followEvents } from './transport/follow-events.js';
import { HttpCaller, type ConnectOptions, type HttpRequest } from './transport/http-caller.js';
import { importInBatches } from './transport/import-in-batches.js';

export { Refusal } from './core/refusals.js';
export { ServerFault, Unreachable, type ConnectOptions } from './transport/http-caller.js';

/** What a program needs of a desk, in this process (`box.as(name)`) or behind HTTP (`connect`). */
export type DoorLike = Door;

/** Verbs that carry bytes or streams and are written out below. */
type Streaming = 'importWorks' | 'putArtifact' | 'getArtifact' | 'events';

interface Line {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** The answer is a list: the verb gives its items. */
  readonly items?: true;
}

const get = (path: string): Line => ({ method: 'GET', path });
const itemsOf = (path: string): Line => ({ method: 'GET', path, items: true });
const post = (path: string): Line => ({ method: 'POST', path });
const remove = (path: string): Line => ({ method: 'DELETE', path });

/**
 * Where each verb is. Its arguments are the path's variables in order, then the body (or, for GET, the query), then
 * the options. A verb that the door gains and this table lacks is a compile error here.
 */
export const CLIENT_VERBS: Readonly<Record<Exclude<keyof Door, Streaming>, Line>> = {
  recordException: post('/exceptions'),
  showCase: get('/exceptions/{id}'),
  decideCase: post('/exceptions/{id}/decide'),
  requestInfo: post('/exceptions/{id}/request-info'),
  provideInfo: post('/exceptions/{id}/provide-info'),
  tellNow: post('/exceptions/{id}/tell-now'),
  deadLetters: get('/dead-letters'),
  redrive: post('/dead-letters/{id}/redrive'),
  closeDeadLetter: post('/dead-letters/{id}/close'),
  setSwitch: post('/switches'),
  switches: get('/switches'),
  basket: get('/basket'),
  stats: get('/stats'),
  dailyReport: get('/reports/daily'),
  register: post('/works'),
  list: get('/works'),
  show: get('/works/{workId}'),
  history: itemsOf('/works/{workId}/history'),
  receipts: itemsOf('/works/{workId}/receipts'),
  handoffs: itemsOf('/works/{workId}/handoffs'),
  versions: itemsOf('/works/{workId}/versions'),
  claimNext: post('/claims'),
  claim: post('/works/{workId}/claim'),
  renew: post('/works/{workId}/renew'),
  submit: post('/works/{workId}/submit'),
  review: post('/works/{workId}/review'),
  decide: post('/works/{workId}/decide'),
  complete: post('/works/{workId}/complete'),
  observe: post('/works/{workId}/observe'),
  asset: post('/works/{workId}/asset'),
  promote: post('/works/{workId}/promote'),
  release: post('/works/{workId}/release'),
  handoff: post('/works/{workId}/handoff'),
  investigate: post('/works/{workId}/investigate'),
  investigation: get('/works/{workId}/investigation'),
  escalate: post('/works/{workId}/escalate'),
  reconcile: post('/works/{workId}/reconcile'),
  retryApply: post('/works/{workId}/retry-apply'),
  savePartial: post('/works/{workId}/partials'),
  note: post('/works/{workId}/notes'),
  intendEffect: post('/works/{workId}/effects'),
  settleEffect: post('/works/{workId}/effects/{operationId}'),
  rules: get('/kinds/{kind}/rules'),
  hold: post('/works/{workId}/hold'),
  resume: post('/works/{workId}/resume'),
  block: post('/works/{workId}/block'),
  unblock: post('/works/{workId}/unblock'),
  cancel: post('/works/{workId}/cancel'),
  verify: get('/verify'),
  verifyWork: get('/works/{workId}/verify'),
  kinds: itemsOf('/kinds'),
  putPrincipal: post('/principals'),
  listPrincipals: itemsOf('/principals'),
  disablePrincipal: remove('/principals/{name}'),
  createToken: post('/tokens'),
  listTokens: itemsOf('/tokens'),
  revokeToken: remove('/tokens/{tokenId}'),
  createSignInLink: post('/sign-in-links'),
};

/**
 * A desk behind HTTP, with the verbs, arguments and answers of `box.as(name)`.
 * Every verb throws Refusal with the server's code and details, Unreachable, or ServerFault.
 */
export function connect(options: ConnectOptions): DoorLike {
  const http = new HttpCaller(options);
  const streaming: Pick<Door, Streaming> = {
    importWorks: (lines) => importInBatches(http, lines),
    events: (query, eventsOptions) => followEvents(http, query, eventsOptions),
    async putArtifact(content, mediaType) {
      const headers = { 'content-type': mediaType };
      const raw = content instanceof Uint8Array ? (content as Uint8Array<ArrayBuffer>) : content;
      const stored = await http.json({ method: 'PUT', path: '/artifacts', raw, headers });
      return stored as Awaited<ReturnType<Door['putArtifact']>>;
    },
    async getArtifact(hash) {
      const path = `/artifacts/${encodeURIComponent(wellFormed(hash))}`;
      const response = await http.send({ method: 'GET', path });
      const bytes = new Uint8Array(await http.whole(response.arrayBuffer()));
      return {
        sha256: hash,
        size: bytes.length,
        mediaType: response.headers.get('content-type') ?? 'application/octet-stream',
        storedBy: decodeURIComponent(response.headers.get('x-signalbox-stored-by') ?? ''),
        bytes,
      };
    },
  };
  const verbs = Object.entries(CLIENT_VERBS).map(([name, line]) => [name, verbOf(http, line)]);
  // The table names every other verb of the door; that each gives what the door's gives is for test/http to show.
  return { ...(Object.fromEntries(verbs) as Omit<Door, Streaming>), ...streaming };
}

function verbOf(http: HttpCaller, line: Line): (...given: readonly unknown[]) => Promise<unknown> {
  return async (...given) => {
    const answer = await http.json(requestOf(line, given));
    return line.items ? (answer as { items: unknown[] }).items : answer;
  };
}

function requestOf({ method, path }: Line, given: readonly unknown[]): HttpRequest {
  let used = 0;
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(wellFormed(String(given[used++]))));
  const [payload, options] = given.slice(used) as [unknown, CallOptions?];
  if (method !== 'POST') return { method, path: filled, query: payload };
  return {
    method,
    path: filled,
    json: payload ?? {},
    ...(options?.wait_ms === undefined ? {} : { query: { wait_ms: options.wait_ms } }),
    ...(options?.idempotencyKey === undefined
      ? {}
      : { headers: { 'idempotency-key': headerKey(options.idempotencyKey) } }),
  };
}

type CallOptions = NonNullable<Parameters<Door['submit']>[2]>;

/**
 * An idempotency key as a header can carry it: itself where it is ASCII, else its hash, so that a key made of a name
 * in any script works here as on a data folder.
 * @throws Refusal INVALID for one with control characters, as every door refuses it
 */
function headerKey(key: string): string {
  checkIdempotencyKey(key);
  return /^[\x20-\x7e]+$/.test(key) ? key : `sha256-${sha256(key)}`;
}
