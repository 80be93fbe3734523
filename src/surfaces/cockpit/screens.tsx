import type { Context, Hono } from 'hono';
import { Refusal } from '../../core/refusals.js';
import type { Desk } from '../../operations/desk.js';
import { doorFor } from '../../operations/door.js';
import { eventsPosition } from '../../operations/events.js';
import { sessionOf, type Session } from '../../operations/sessions.js';
import { entranceOf } from '../http/entrance.js';
import { CSRF_FIELD, isCsrf, readForm, requireCsrf, requireOwnOrigin, type Fields } from './form.js';
import { seeOther } from './headers.js';
import { sayIn } from './language.js';
import { pageResponse, requestLanguage } from './page-response.js';
import { RefusalPage } from './refusal-page.js';
import { cookieOf, endedSessionCookie, sessionCookieName } from './session-cookie.js';
import { signInPage } from './sign-in-page.js';
import { sendAgainPage, unsentOf } from './unsent.js';
import type { Page, Visit } from './visit.js';

type Shown = Page | Response;

/** Registers pages: who asks is known, forms are of our own pages and of this session, refusals become pages. */
export interface Screens {
  get(path: string, show: (visit: Visit) => Promise<Shown>): void;
  post(path: string, act: (visit: Visit, form: Fields) => Promise<Shown>): void;
  /** A body that is no form; its CSRF token comes in a header. */
  upload(path: string, act: (visit: Visit) => Promise<Shown>): void;
}

export function screensOf(app: Hono, desk: Desk): Screens {
  return {
    get: (path, show) => app.get(path, (c) => visited(c, desk, show)),
    post: (path, act) =>
      app.post(path, (c) =>
        visited(c, desk, async (visit) => {
          requireOwnOrigin(visit.request);
          const form = await readForm(visit.request);
          // Most often it is the reader's own form of a session that has ended since: nothing is done, nothing is lost.
          if (!isCsrf(form.get(CSRF_FIELD), visit.session.csrf))
            return { ...sendAgainPage(visit.t, visit.session, unsentOf(visit.path, form)), status: 403 };
          return await act(visit, form);
        }),
      ),
    upload: (path, act) =>
      app.post(path, (c) =>
        visited(c, desk, (visit) => {
          requireOwnOrigin(visit.request);
          requireCsrf(visit.request.headers.get('x-signalbox-csrf'), visit.session.csrf);
          return act(visit);
        }),
      ),
  };
}

async function visited(c: Context, desk: Desk, show: (visit: Visit) => Promise<Shown>): Promise<Response> {
  const request = c.req.raw;
  const language = requestLanguage(request);
  let session: Session | null = null;
  try {
    session = await entered(desk, c);
    const { pathname, search, searchParams } = new URL(request.url);
    const visit: Visit = {
      desk,
      session,
      door: doorFor(desk, session.who),
      t: sayIn(language),
      language,
      now_ms: desk.now_ms(),
      request,
      path: `${pathname}${search}`,
      query: searchParams,
      param: (name) => c.req.param(name) ?? '',
    };
    // Read before the page is made: what happens while it is on its way is told by the stream that begins here.
    const asOf = await eventsPosition(desk, session.who);
    const shown = await show(visit);
    return shown instanceof Response
      ? shown
      : await pageResponse(shown, { request, language, session, asOf });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'UNAUTHENTICATED') return await toSignIn(request);
    const page = {
      title: error.title,
      status: error.status,
      body: <RefusalPage t={sayIn(language)} language={language} refusal={error} />,
    };
    return await pageResponse(page, { request, language, session });
  }
}

/** Who the browser's cookie stands for. @throws Refusal UNAUTHENTICATED */
export async function signedIn(desk: Desk, request: Request): Promise<Session> {
  return await sessionOf(desk, secretOf(request));
}

/** The same where a request comes in: wrong secrets of one address are counted. @throws Refusal RATE_LIMITED too */
export async function entered(desk: Desk, c: Context): Promise<Session> {
  const secret = secretOf(c.req.raw);
  return await entranceOf(c, desk).attempt(c, secret, () => sessionOf(desk, secret));
}

function secretOf(request: Request): string {
  const secret = cookieOf(request, sessionCookieName(request));
  if (!secret) throw new Refusal('UNAUTHENTICATED', 'nobody is signed in');
  return secret;
}

/** To the door. What a form brought is kept there, and offered to be sent again by whoever signs in. */
async function toSignIn(request: Request): Promise<Response> {
  const headers = { 'set-cookie': endedSessionCookie(request) };
  // A piece of a page that refreshes itself must not put the sign-in form in its own place.
  if (request.headers.get('hx-request') === 'true')
    return new Response(null, { status: 200, headers: { ...headers, 'hx-redirect': '/sign-in' } });
  const unsent = request.method === 'POST' && !request.bodyUsed ? await formOf(request) : null;
  if (unsent === null) return seeOther('/sign-in', headers);
  return await signInPage(request, { unsent, status: 401, headers });
}

/** A form of our own pages; null for everything else that was posted. */
async function formOf(request: Request) {
  try {
    requireOwnOrigin(request);
    const { pathname, search } = new URL(request.url);
    return unsentOf(`${pathname}${search}`, await readForm(request));
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
