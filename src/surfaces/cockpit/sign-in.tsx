import type { Context, Hono } from 'hono';
import { Refusal } from '../../core/refusals.js';
import type { Desk } from '../../operations/desk.js';
import { authenticate } from '../../operations/principals.js';
import { closeSession, openSession } from '../../operations/sessions.js';
import { redeemSignInLink } from '../../operations/sign-in.js';
import { entranceOf } from '../http/entrance.js';
import { CSRF_FIELD, readForm, requireCsrf, requireOwnOrigin } from './form.js';
import { ownPath, seeOther } from './headers.js';
import { LANGUAGE_COOKIE, isLanguage, sayIn, type Say } from './language.js';
import { Notice } from './layout.js';
import { pageResponse, requestLanguage, entered } from './screens.js';
import {
  choiceCookie,
  cookieOf,
  endedSessionCookie,
  sessionCookie,
  sessionCookieName,
} from './session-cookie.js';

/** The doors that are open to whoever comes: sign in, sign out, choose a language. */
export function signInRoutes(app: Hono, desk: Desk): void {
  app.get('/sign-in', (c) => signInPage(c, { code: c.req.query('code') ?? '', failed: false }));
  app.post('/sign-in', (c) => signIn(c, desk));
  app.post('/sign-out', (c) => signOut(c, desk));
  app.post('/language', (c) => chooseLanguage(c));
}

/**
 * A link is not taken by opening it: previews and scanners open links too, and a cookie that is Strict would not
 * come back with the redirect. One press takes it, and the code is gone from the address from then on.
 */
async function signInPage(
  c: Context,
  state: { code: string; failed: boolean },
  status = 200,
): Promise<Response> {
  const request = c.req.raw;
  const language = requestLanguage(request);
  const t = sayIn(language);
  const page = { title: t('sign_in'), status, body: <SignIn t={t} {...state} /> };
  return await pageResponse(page, { request, language, session: null });
}

function SignIn({ t, code, failed }: { readonly t: Say; readonly code: string; readonly failed: boolean }) {
  return (
    <div class="sign-in">
      <h1>{t('sign_in')}</h1>
      {failed ? <Notice kind="bad">{t('sign_in.failed')}</Notice> : null}
      {code !== '' && !failed ? (
        <form method="post" action="/sign-in" class="panel">
          <input type="hidden" name="code" value={code} />
          <p>{t('sign_in.link')}</p>
          <button class="primary" autofocus>
            {t('sign_in.continue')}
          </button>
        </form>
      ) : (
        <form method="post" action="/sign-in" class="panel">
          <label for="token">{t('sign_in.token')}</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="off"
            required
            autofocus
            aria-describedby="token-hint"
          />
          <p class="hint" id="token-hint">
            {t('sign_in.hint')}
          </p>
          <button class="primary">{t('sign_in')}</button>
        </form>
      )}
    </div>
  );
}

async function signIn(c: Context, desk: Desk): Promise<Response> {
  const request = c.req.raw;
  try {
    requireOwnOrigin(request);
    const form = await readForm(request);
    const code = form.get('code');
    const token = form.get('token').trim();
    const entrance = entranceOf(c, desk);
    const secret =
      code === ''
        ? await openSession(desk, await entrance.attempt(c, token, () => authenticate(desk, token)), token)
        : await openSession(desk, await entrance.attempt(c, code, () => redeemSignInLink(desk, code)));
    return seeOther('/', { 'set-cookie': sessionCookie(request, secret) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const tooMany = error.code === 'RATE_LIMITED';
    return await signInPage(c, { code: '', failed: true }, tooMany ? error.status : 401);
  }
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
