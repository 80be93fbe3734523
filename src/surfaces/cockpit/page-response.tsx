import { html } from 'hono/html';
import type { Session } from '../../operations/sessions.js';
import { PAGE_HEADERS } from './headers.js';
import { LANGUAGE_COOKIE, languageOf, sayIn, type Language } from './language.js';
import { Layout } from './layout.js';
import { cookieOf } from './session-cookie.js';
import type { Page } from './visit.js';

/** The language that a request's reader chose or asks for. */
export function requestLanguage(request: Request): Language {
  return languageOf(cookieOf(request, LANGUAGE_COOKIE), request.headers.get('accept-language') ?? undefined);
}

interface Frame {
  readonly request: Request;
  readonly language: Language;
  readonly session: Session | null;
  /** Where in the record the page stands; its live stream goes on from there. Left out, it begins when it is opened. */
  readonly asOf?: number;
  /** Beside those of every page. */
  readonly headers?: Record<string, string>;
}

/** A page in its frame. */
export async function pageResponse(
  page: Page,
  { request, language, session, asOf, headers = {} }: Frame,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const frame = (
    <Layout
      page={page}
      t={sayIn(language)}
      language={language}
      path={`${pathname}${search}`}
      session={session}
      asOf={asOf}
    />
  );
  return new Response(await html`<!doctype html>${frame}`, {
    status: page.status ?? 200,
    headers: { ...headers, ...PAGE_HEADERS, 'content-language': language, vary: 'cookie, accept-language' },
  });
}
