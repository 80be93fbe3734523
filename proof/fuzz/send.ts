import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';

/** A request as it goes over the wire, as wrong as may be. */
export interface WireRequest {
  readonly method: string;
  /** Percent-encoded or not; characters that no request line can hold are encoded when it is sent. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array | null;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly took_ms: number;
}

/** An answer that is still not whole after this long counts as a hang. */
export const PATIENCE_ms = 20_000;

/**
 * Sends one request on a connection of its own.
 * @param endless the answer is a stream: its head and its first bytes are enough
 * @throws Error when there is no answer in time
 */
export function send(url: string, asked: WireRequest, endless = false): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const { hostname, port } = new URL(url);
    const headers = asked.headers.flatMap(([name, value]) => [name, sendable(value)]);
    // A body of a GET has to say how long it is, or it would be read as the next request.
    if (asked.body !== null) headers.push('content-length', String(Buffer.byteLength(asked.body)));
    const client = httpRequest({
      hostname,
      port,
      method: asked.method,
      path: requestTarget(asked.path),
      headers: ['host', `${hostname}:${port}`, 'connection', 'close', ...headers],
      agent: false,
    });
    const timer = setTimeout(() => client.destroy(new Error(`no answer in ${PATIENCE_ms} ms`)), PATIENCE_ms);
    let answered = false;
    client.on('response', (response) => {
      answered = true;
      const parts: Buffer[] = [];
      const done = (): void => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString('utf8'),
          took_ms: performance.now() - begun,
        });
        client.destroy();
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        if (endless && response.statusCode === 200) done();
      });
      response.on('end', done);
      response.on('error', done);
    });
    client.on('error', (error) => {
      clearTimeout(timer);
      // A server that refuses a body may close before it has read all of it.
      if (!answered) reject(error);
    });
    client.end(asked.body ?? undefined);
  });
}

/** Sends bytes that need be no HTTP at all; gives what comes back until the server closes. */
export function sendBytes(url: string, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    const timer = setTimeout(() => socket.destroy(new Error(`no end in ${PATIENCE_ms} ms`)), PATIENCE_ms);
    socket.on('data', (part) => (text += part.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(text);
      else reject(error);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
    socket.end(bytes);
  });
}

/** Node sends header values as Latin-1 and refuses line ends in them; what it would not send is left out. */
const sendable = (value: string): string => value.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '');

/** What no request line can hold, percent-encoded; half surrogates become what UTF-8 makes of them. */
const requestTarget = (path: string): string =>
  path
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[^\u0021-\u007e]/gu, (character) => encodeURIComponent(character));
