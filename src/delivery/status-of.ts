import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { publicLookup } from './public-address.js';

export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The name must lead outside. Left out, any address will do: whoever runs the desk has chosen it. */
  readonly publicOnly?: boolean;
}

/**
 * Sends one request on a connection of its own and gives the status it is answered with. The body of the answer is
 * not read and redirects are not followed. Not `fetch`, which cannot be told which addresses are allowed.
 * @throws the connection's error; InnerAddress; the signal's reason
 */
export function statusOf({ method, url, headers = {}, body, signal, publicOnly }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const to = new URL(url);
    const options: RequestOptions = {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      signal,
      ...(publicOnly === true ? { lookup: publicLookup } : {}),
    };
    const client = to.protocol === 'https:' ? httpsRequest(to, options) : httpRequest(to, options);
    client.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.on('error', () => undefined);
      client.destroy();
    });
    client.on('error', reject);
    client.end(body);
  });
}
