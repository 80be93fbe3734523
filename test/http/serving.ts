import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../src/client.js';
import { openSignalbox, type OpenOptions, type Signalbox } from '../../src/index.js';
import { problemAnswer } from '../../src/surfaces/http/answer-schemas.js';
import { ROUTES } from '../../src/surfaces/http/routes.js';
import type { ServerLog } from '../../src/surfaces/http/log.js';
import { startServer, type RunningServer, type ServerOptions } from '../../src/surfaces/http/server.js';
import type { DoorLike } from '../../src/client.js';

export interface Serving {
  readonly dataDir: string;
  readonly box: Signalbox;
  readonly server: RunningServer;
  readonly url: string;
  readonly ownerToken: string;
  /** What the server logged as errors. */
  readonly errors: Record<string, unknown>[];
  /** A principal with a token of its own, made when first asked for. */
  tokenOf(name: string, roles?: readonly string[]): Promise<string>;
  as(name: string, roles?: readonly string[]): Promise<DoorLike>;
  /** A plain request under the server's address. */
  call(method: string, path: string, more?: Asked): Promise<Answered>;
  close(): Promise<void>;
}

export interface Asked {
  /** null sends none. */
  readonly token?: string | null;
  readonly json?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // What a server answers is only known once it is looked at.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A real server on a free port over a data folder of its own. */
export async function serving(options: OpenOptions = {}, more: ServerOptions = {}): Promise<Serving> {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-http-'));
  const box = await openSignalbox({ dataDir, host: '127.0.0.1', port: 0, ...options });
  const errors: Record<string, unknown>[] = [];
  const log: ServerLog = {
    error: (message, fields) => errors.push({ message, ...fields }),
    info: () => undefined,
  };
  const server = await startServer(box, { log, ...more });
  const ownerToken = box.ownerToken ?? '';
  const tokens = new Map<string, Promise<string>>([['owner', Promise.resolve(ownerToken)]]);
  const owner = box.as('owner');
  const tokenOf = (name: string, roles: readonly string[] = ['worker']): Promise<string> => {
    const known = tokens.get(name);
    if (known) return known;
    const made = owner
      .putPrincipal({ name, roles })
      .then(() => owner.createToken({ principal: name }))
      .then(({ token }) => token);
    tokens.set(name, made);
    return made;
  };
  return {
    dataDir,
    box,
    server,
    url: server.url,
    ownerToken,
    errors,
    tokenOf,
    as: async (name, roles) => connect({ url: server.url, token: await tokenOf(name, roles) }),
    async call(method, path, { token = ownerToken, json, raw, headers = {} } = {}) {
      const body = json === undefined ? raw : JSON.stringify(json);
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '') && !text.includes('}\n');
      const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : null;
      checkShape(method, path, response.status, parsed);
      return { status: response.status, headers: response.headers, text, body: parsed };
    },
    async close() {
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Every JSON answer of every test must have the shape that /openapi.json promises. */
function checkShape(method: string, path: string, status: number, body: unknown): void {
  if (body === null) return;
  if (status >= 400) {
    if (path.startsWith('/v1/')) problemAnswer.parse(body);
    return;
  }
  const segments = path.replace(/\?.*/, '').split('/');
  const route = ROUTES.find(
    (each) =>
      each.method === method.toLowerCase() &&
      each.path.split('/').length === segments.length &&
      each.path.split('/').every((part, index) => part.startsWith('{') || part === segments[index]),
  );
  if (!route) return;
  const shape = route.answers[status];
  if (shape === undefined)
    throw new Error(`${method} ${path} answered ${status}, which its route does not name`);
  if (typeof shape !== 'string') shape.parse(body);
}
