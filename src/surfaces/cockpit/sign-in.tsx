import type { Context, Hono } from 'hono';
import { Refusal } from '../../core/refusals.js';
import type { Desk } from '../../operations/desk.js';
import { authenticate } from '../../operations/tokens.js';
import { closeSession, openSession, sessionOf, type Session } from '../../operations/sessions.js';
import { redeemSignInLink } from '../../operations/sign-in.js';
import { entranceOf } from '../http/entrance.js';
import { CSRF_FIELD, readForm, requireCsrf, requireOwnOrigin } from './form.js';
import { ownPath, seeOther } from './headers.js';
import { LANGUAGE_COOKIE, isLanguage, sayIn } from './language.js';
import { pageResponse, requestLanguage } from './page-response.js';
import { entered } from './screens.js';
import {
  choiceCookie,
  cookieOf,
  endedSessionCookie,
  sessionCookie,
  sessionCookieName,
} from './session-cookie.js';
import { signInPage } from './sign-in-page.js';
import { UNSENT_FIELD, readUnsent, sendAgainPage, type Unsent } from './unsent.js';

/** The doors that are open to whoever comes: sign in, with what a form brought meanwhile; sign out; choose a language. */
export function signInRoutes(app: Hono, desk: Desk): void {
  app.get('/sign-in', (c) => signInPage(c.req.raw, { code: c.req.query('code') ?? '' }));
  app.post('/sign-in', (c) => signIn(c, desk));
  app.post('/send-again', (c) => signedInElsewhere(c, desk));
  app.post('/sign-out', (c) => signOut(c, desk));
  app.post('/language', (c) => chooseLanguage(c));
}

async function signIn(c: Context, desk: Desk): Promise<Response> {
  const request = c.req.raw;
  let unsent: Unsent | null = null;
  try {
    requireOwnOrigin(request);
    const form = await readForm(request);
    unsent = readUnsent(form.get(UNSENT_FIELD));
    const code = form.get('code');
    const token = form.get('token').trim();
    const entrance = entranceOf(c, desk);
    const secret =
      code === ''
        ? await openSession(desk, await entrance.attempt(c, token, () => authenticate(desk, token)), token)
        : await openSession(desk, await entrance.attempt(c, code, () => redeemSignInLink(desk, code)));
    const headers = { 'set-cookie': sessionCookie(request, secret) };
    if (unsent === null) return seeOther('/', headers);
    return await sendAgain(request, await sessionOf(desk, secret), unsent, headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const tooMany = error.code === 'RATE_LIMITED';
    return await signInPage(request, { failed: true, unsent, status: tooMany ? error.status : 401 });
  }
}

/** Whoever has signed in by a link, in another tab, comes back to the form that waits here. */
async function signedInElsewhere(c: Context, desk: Desk): Promise<Response> {
  const request = c.req.raw;
  requireOwnOrigin(request);
  const unsent = readUnsent((await readForm(request)).get(UNSENT_FIELD));
  if (unsent === null) return seeOther('/');
  try {
    return await sendAgain(request, await entered(desk, c), unsent);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return await signInPage(request, { unsent, status: error.status });
  }
}

async function sendAgain(
  request: Request,
  session: Session,
  unsent: Unsent,
  headers: Record<string, string> = {},
): Promise<Response> {
  const language = requestLanguage(request);
  const page = sendAgainPage(sayIn(language), session, unsent);
  return await pageResponse(page, { request, language, session, headers });
}

async function signOut(c: Context, desk: Desk): Promise<Response> {
  const request = c.req.raw;
  try {
    const session = await entered(desk, c);
    requireOwnOrigin(request);
    requireCsrf((await readForm(request)).get(CSRF_FIELD), session.csrf);
    await closeSession(desk, cookieOf(request, sessionCookieName(request)) ?? '');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== 'UNAUTHENTICATED') return seeOther('/');
  }
  return seeOther('/sign-in', { 'set-cookie': endedSessionCookie(request) });
}

async function chooseLanguage(c: Context): Promise<Response> {
  const request = c.req.raw;
  requireOwnOrigin(request);
  const form = await readForm(request);
  const language = form.get('language');
  const headers = isLanguage(language)
    ? { 'set-cookie': choiceCookie(request, LANGUAGE_COOKIE, language) }
    : undefined;
  return seeOther(ownPath(form.get('back')), headers);
}
