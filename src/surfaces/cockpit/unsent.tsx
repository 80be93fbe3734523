import { z } from 'zod';
import type { Session } from '../../operations/sessions.js';
import { CSRF_FIELD, type Fields } from './form.js';
import { ownPath } from './headers.js';
import { sayOr, type Say } from './language.js';
import { Csrf, Notice } from './layout.js';
import type { Page } from './visit.js';

/** A form that was sent by nobody who was signed in: where it was to go, and all it held but the dead session's token. */
export interface Unsent {
  readonly path: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const unsentSchema = z.object({ path: z.string(), fields: z.array(z.tuple([z.string(), z.string()])) });

/** The field in which a sign-in form carries another form along. */
export const UNSENT_FIELD = 'unsent';

export function unsentOf(path: string, form: Fields): Unsent {
  return { path: ownPath(path), fields: form.entries().filter(([name]) => name !== CSRF_FIELD) };
}

/** What a sign-in form carries; null where it carries none, or something that no page of ours wrote. */
export function readUnsent(text: string): Unsent | null {
  try {
    const { path, fields } = unsentSchema.parse(JSON.parse(text));
    return { path: ownPath(path), fields };
  } catch {
    return null;
  }
}

/** What the page knew and nobody typed: it is sent again, not shown. */
const KNOWN_TO_THE_PAGE: ReadonlySet<string> = new Set([
  'key',
  'interruptId',
  'artifactSha256',
  'headSha',
  'gateAction',
  'inputVersion',
  'operation',
  'wait',
]);

/** What somebody typed or chose, to be read again. */
export function Typed({ t, unsent }: { readonly t: Say; readonly unsent: Unsent }) {
  const typed = unsent.fields.filter(([name, value]) => value !== '' && !KNOWN_TO_THE_PAGE.has(name));
  if (typed.length === 0) return null;
  return (
    <dl class="facts typed">
      {typed.map(([name, value]) => (
        <>
          <dt>{sayOr(t, `field.${name}`, name)}</dt>
          <dd>
            <bdi>{sayOr(t, `${name}.${value}`, value)}</bdi>
          </dd>
        </>
      ))}
    </dl>
  );
}

/**
 * A form that was not taken, to be looked at and sent again by whoever is signed in now. It carries the token of this
 * session, and goes nowhere by itself.
 */
export function sendAgainPage(t: Say, session: Session, unsent: Unsent): Page {
  return {
    title: t('unsent.title'),
    body: (
      <div class="sign-in">
        <h1>{t('unsent.title')}</h1>
        <Notice kind="warn">{t('unsent.nothing_done', { who: session.who.principal })}</Notice>
        <form method="post" action={unsent.path} class="panel">
          <Csrf session={session} />
          {unsent.fields.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <Typed t={t} unsent={unsent} />
          <button class="primary" autofocus>
            {t('unsent.send')}
          </button>
        </form>
        <p>
          <a href="/">{t('unsent.leave')}</a>
        </p>
      </div>
    ),
  };
}
