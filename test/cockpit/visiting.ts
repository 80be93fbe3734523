import { serving, type Serving } from '../http/serving.js';
import { MOUNTS } from '../../src/surfaces/mounts.js';
import type { OpenOptions } from '../../src/index.js';

/** A browser without a screen: cookies, forms and redirects as a browser handles them. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** A form with several values of one name. */
  postMany(path: string, fields: readonly (readonly [name: string, value: string])[]): Promise<Answer>;
  /** Sends a form with this session's own CSRF token, unless the fields bring another. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export function servingCockpit(options: OpenOptions = {}): Promise<Serving> {
  return serving(options, { mounts: MOUNTS });
}

export function visitor(url: string): Visitor {
  const cookies = new Map<string, string>();
  let csrf = '';
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? csrf;
    return { status: response.status, headers: response.headers, text };
  };
  const send = (path: string, form: URLSearchParams, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(path, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form.toString(),
    });
  return {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields = {}, headers = {}) => send(path, new URLSearchParams({ csrf, ...fields }), headers),
    postMany: (path, fields) =>
      send(
        path,
        new URLSearchParams([
          ['csrf', csrf],
          ...fields.map(([name, value]): [string, string] => [name, value]),
        ]),
      ),
  };
}

/** A visitor signed in with a token. */
export async function signedInVisitor(here: Serving, token: string): Promise<Visitor> {
  const browser = visitor(here.url);
  const answer = await browser.post('/sign-in', { token });
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}`);
  await browser.get('/');
  return browser;
}

/** The fields of the first form of a page that goes to an address. */
export function formOf(page: string, action: string): Record<string, string> {
  const start = page.indexOf(`action="${action}"`);
  if (start < 0) throw new Error(`no form to ${action}`);
  const form = page.slice(start, page.indexOf('</form>', start));
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map((match) => [
      match[1] ?? '',
      match[2] ?? '',
    ]),
  );
}
