import type { Child } from 'hono/jsx';
import type { Session } from '../../operations/sessions.js';
import { CSRF_FIELD } from './form.js';
import { LANGUAGE_NAMES, type Language, type Say } from './language.js';
import { SECTIONS, type Page, type Section } from './visit.js';

/** Nothing of htmx that needs inline styles, evaluated text or a page kept in the browser's storage. */
const HTMX_SETTINGS = JSON.stringify({
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
});

const PATHS: Record<Section, string> = {
  board: '/',
  gates: '/gates',
  reviews: '/reviews',
  basket: '/basket',
  health: '/health',
  people: '/people',
  import: '/import',
};

interface LayoutProps {
  readonly page: Page;
  readonly t: Say;
  readonly language: Language;
  readonly path: string;
  readonly session: Session | null;
  /** Where in the record the page stands. */
  readonly asOf?: number | undefined;
}

/** The frame of every page. */
export function Layout({ page, t, language, path, session, asOf }: LayoutProps) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX_SETTINGS} />
        <title>{`${page.title} · Signalbox`}</title>
        <link rel="icon" href="/cockpit/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/cockpit/cockpit.css" />
        <link rel="stylesheet" href="/cockpit/pages.css" />
        <script src="/cockpit/htmx.js" defer></script>
        <script src="/cockpit/cockpit.js" defer></script>
        {(page.scripts ?? []).map((name) => (
          <script src={`/cockpit/${name}`} defer></script>
        ))}
      </head>
      <body data-live={session ? '/live' : undefined} data-as-of={asOf} data-copied={t('copied')}>
        <a class="skip" href="#main">
          {t('skip')}
        </a>
        <header class="top">
          <a class="brand" href="/">
            <Lamp state="green" />
            Signalbox
          </a>
          {session ? <Navigation t={t} current={page.section} /> : null}
          <div class="top-end">
            <LanguageSwitch t={t} language={language} path={path} />
            {session ? <SignedIn t={t} session={session} /> : null}
          </div>
        </header>
        <p id="connection" class="notice notice-warn connection" role="status" hidden>
          {t('connection.lost')}
        </p>
        <main id="main" tabindex={-1}>
          {page.body}
        </main>
      </body>
    </html>
  );
}

function Navigation({ t, current }: { readonly t: Say; readonly current: Section | undefined }) {
  return (
    <nav class="sections" aria-label={t('nav')}>
      {SECTIONS.map((section) => (
        <a href={PATHS[section]} aria-current={section === current ? 'page' : undefined}>
          {t(`nav.${section}`)}
        </a>
      ))}
    </nav>
  );
}

function LanguageSwitch({ t, language, path }: { t: Say; language: Language; path: string }) {
  const other: Language = language === 'en' ? 'ja' : 'en';
  return (
    <form method="post" action="/language">
      <input type="hidden" name="back" value={path} />
      <button class="quiet" name="language" value={other} lang={other} title={t('language.switch')}>
        {LANGUAGE_NAMES[other]}
      </button>
    </form>
  );
}

function SignedIn({ t, session }: { readonly t: Say; readonly session: Session }) {
  return (
    <form method="post" action="/sign-out" class="signed-in">
      <Csrf session={session} />
      <span class="who" title={session.roles.join(', ')}>
        {session.who.principal}
      </span>
      <button class="quiet">{t('sign_out')}</button>
    </form>
  );
}

/** What every form of a session carries. */
export function Csrf({ session }: { readonly session: Session }) {
  return <input type="hidden" name={CSRF_FIELD} value={session.csrf} />;
}

export type LampState = 'green' | 'amber' | 'red' | 'off';

/** A signal lamp. Colour is never the only sign: a text stands beside it. */
export function Lamp({ state }: { readonly state: LampState }) {
  return <span class={`lamp lamp-${state}`} aria-hidden="true"></span>;
}

export function Notice(props: {
  readonly kind: 'good' | 'warn' | 'bad' | 'info';
  readonly children?: Child;
}) {
  return (
    <div class={`notice notice-${props.kind}`} role={props.kind === 'bad' ? 'alert' : 'status'}>
      {props.children}
    </div>
  );
}
