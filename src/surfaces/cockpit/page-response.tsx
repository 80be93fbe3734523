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

/** A page in its frame. `headers` are beside those of every page. */
export async function pageResponse(
  page: Page,
  {
    request,
    language,
    session,
    headers = {},
  }: { request: Request; language: Language; session: Session | null; headers?: Record<string, string> },
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const frame = (
    <Layout
      page={page}
      t={sayIn(language)}
      language={language}
      path={`${pathname}${search}`}
      session={session}
    />
  );
  return new Response(await html`<!doctype html>${frame}`, {
    status: page.status ?? 200,
    headers: { ...headers, ...PAGE_HEADERS, 'content-language': language, vary: 'cookie, accept-language' },
  });
}
