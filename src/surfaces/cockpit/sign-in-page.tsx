import { sayIn, type Say } from './language.js';
import { Notice } from './layout.js';
import { pageResponse, requestLanguage } from './page-response.js';
import { Typed, UNSENT_FIELD, type Unsent } from './unsent.js';

interface SignInState {
  /** Of a one-time link; '' or left out for signing in by a token. */
  readonly code?: string;
  readonly failed?: boolean;
  /** A form that came from nobody who was signed in, kept until somebody is. */
  readonly unsent?: Unsent | null;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/**
 * A link is not taken by opening it: previews and scanners open links too, and a cookie that is Strict would not
 * come back with the redirect. One press takes it, and the code is gone from the address from then on.
 */
export async function signInPage(request: Request, state: SignInState): Promise<Response> {
  const language = requestLanguage(request);
  const t = sayIn(language);
  const { status = 200, headers = {} } = state;
  const page = { title: t('sign_in'), status, body: <SignIn t={t} state={state} /> };
  return await pageResponse(page, { request, language, session: null, headers });
}

function SignIn({ t, state }: { readonly t: Say; readonly state: SignInState }) {
  const { code = '', failed = false, unsent = null } = state;
  return (
    <div class="sign-in">
      <h1>{t('sign_in')}</h1>
      {failed ? <Notice kind="bad">{t('sign_in.failed')}</Notice> : null}
      {unsent ? <Kept t={t} unsent={unsent} /> : null}
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
          {unsent ? <Carried unsent={unsent} /> : null}
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

/** What was typed is shown at once, so that its writer sees that nothing is lost before anything else is asked. */
function Kept({ t, unsent }: { readonly t: Say; readonly unsent: Unsent }) {
  return (
    <section class="panel" aria-labelledby="kept-title">
      <h2 id="kept-title">{t('unsent.kept')}</h2>
      <p>{t('unsent.sign_in_first')}</p>
      <Typed t={t} unsent={unsent} />
      <form method="post" action="/send-again">
        <Carried unsent={unsent} />
        <button>{t('unsent.elsewhere')}</button>
      </form>
    </section>
  );
}

function Carried({ unsent }: { readonly unsent: Unsent }) {
  return <input type="hidden" name={UNSENT_FIELD} value={JSON.stringify(unsent)} />;
}
