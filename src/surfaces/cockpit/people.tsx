import { ROLES } from '../../core/work.js';
import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';
import { seeOther } from './headers.js';
import { Csrf, Notice } from './layout.js';
import type { Screens } from './screens.js';
import { Switches, switchScreens } from './switches.js';
import { Time } from './time.js';
import { hasRole, isOwner, type Page, type Visit } from './visit.js';

/** A secret that was just made: shown once, on the answer to the form that made it, and never in an address. */
interface Made {
  readonly token?: string;
  readonly link?: string;
  readonly principal: string;
}

export function peopleScreens(screens: Screens): void {
  screens.get('/people', (visit) => peoplePage(visit));
  screens.post('/people', async ({ door }, form) => {
    const actor = form.get('actor').trim();
    await door.putPrincipal({
      name: form.get('name').trim(),
      roles: form.all('role'),
      ...(actor === '' ? {} : { actor }),
    });
    return seeOther('/people');
  });
  screens.post('/people/disable', async ({ door }, form) => {
    await door.disablePrincipal(form.get('name'));
    return seeOther('/people');
  });
  screens.post('/people/token', async (visit, form) => {
    const principal = form.get('name');
    const label = form.get('label').trim();
    const made = await visit.door.createToken({ principal, ...(label === '' ? {} : { label }) });
    return await peoplePage(visit, { principal, token: made.token });
  });
  screens.post('/people/link', async (visit, form) => {
    const made = await visit.door.createSignInLink({ principal: form.get('name') });
    return await peoplePage(visit, {
      principal: made.principal,
      link: new URL(made.path, visit.request.url).href,
    });
  });
  screens.post('/people/revoke', async (visit: Visit, form: Fields) => {
    await visit.door.revokeToken(form.get('token'));
    return seeOther('/people');
  });
  switchScreens(screens);
}

async function peoplePage(visit: Visit, made?: Made): Promise<Page> {
  const { t, door, session } = visit;
  const owner = isOwner(session);
  return {
    title: t('nav.people'),
    section: 'people',
    body: (
      <>
        <h1>{t('nav.people')}</h1>
        {made ? <JustMade visit={visit} made={made} /> : null}
        {owner ? (
          <>
            <Principals visit={visit} principals={await door.listPrincipals()} />
            <NewPrincipal visit={visit} />
            <Tokens visit={visit} tokens={await door.listTokens()} />
          </>
        ) : (
          <Notice kind="info">{t('people.owner_only')}</Notice>
        )}
        {hasRole(session, 'viewer', 'worker', 'reviewer', 'operator') ? (
          <Switches visit={visit} switches={await door.switches()} />
        ) : null}
      </>
    ),
  };
}

function JustMade({ visit, made }: { readonly visit: Visit; readonly made: Made }) {
  const { t } = visit;
  const secret = made.token ?? made.link ?? '';
  return (
    <Notice kind="good">
      <p>{t(made.token ? 'people.token_made' : 'people.link_made', { name: made.principal })}</p>
      <p>
        <code id="secret" class="wrap">
          {secret}
        </code>{' '}
        <button type="button" class="small-button" data-copy={secret} data-copy-from="secret">
          {t('copy')}
        </button>
      </p>
    </Notice>
  );
}

function Principals(props: { visit: Visit; principals: Awaited<ReturnType<Door['listPrincipals']>> }) {
  const { visit, principals } = props;
  const { t, session } = visit;
  const button = (action: string, name: string, text: string, grave = false) => (
    <form method="post" action={action}>
      <Csrf session={session} />
      <input type="hidden" name="name" value={name} />
      <button class={grave ? 'danger' : ''}>{text}</button>
    </form>
  );
  return (
    <section class="panel" aria-labelledby="principals-title">
      <h2 id="principals-title">{t('people.principals')}</h2>
      <div class="scroll" tabindex={0}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{t('people.name')}</th>
              <th scope="col">{t('people.actor')}</th>
              <th scope="col">{t('people.roles')}</th>
              <th scope="col">{t('people.since')}</th>
              <th scope="col">{t('people.do')}</th>
            </tr>
          </thead>
          <tbody>
            {principals.map((principal) => (
              <tr>
                <th scope="row">{principal.name}</th>
                <td data-label={t('people.actor')}>{principal.actor}</td>
                <td data-label={t('people.roles')}>{principal.roles.join(', ')}</td>
                <td data-label={t('people.since')}>
                  <Time at={principal.createdAt} />
                </td>
                <td class="row-actions">
                  {principal.disabledAt ? (
                    <span class="muted">{t('people.disabled')}</span>
                  ) : (
                    <>
                      {button('/people/token', principal.name, t('people.new_token'))}
                      {button('/people/link', principal.name, t('people.new_link'))}
                      {principal.name === session.who.principal
                        ? null
                        : button('/people/disable', principal.name, t('people.disable'), true)}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function NewPrincipal({ visit }: { readonly visit: Visit }) {
  const { t, session } = visit;
  return (
    <section class="panel" aria-labelledby="new-title">
      <h2 id="new-title">{t('people.add')}</h2>
      <form method="post" action="/people" class="filters">
        <Csrf session={session} />
        <label>
          <span>{t('people.name')}</span>
          <input name="name" required autocomplete="off" />
        </label>
        <label>
          <span>
            {t('people.actor')} <span class="muted">{t('optional')}</span>
          </span>
          <input name="actor" autocomplete="off" />
        </label>
        <fieldset class="roles">
          <legend>{t('people.roles')}</legend>
          {ROLES.map((role) => (
            <label class="choice">
              <input type="checkbox" name="role" value={role} />
              {role}
            </label>
          ))}
        </fieldset>
        <span class="filters-end">
          <button class="primary">{t('people.add')}</button>
        </span>
      </form>
      <p class="hint">{t('people.actor_hint')}</p>
    </section>
  );
}

function Tokens({ visit, tokens }: { visit: Visit; tokens: Awaited<ReturnType<Door['listTokens']>> }) {
  const { t, session } = visit;
  return (
    <section class="panel" aria-labelledby="tokens-title">
      <h2 id="tokens-title">{t('people.tokens')}</h2>
      <div class="scroll" tabindex={0}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{t('people.name')}</th>
              <th scope="col">{t('people.label')}</th>
              <th scope="col">{t('people.since')}</th>
              <th scope="col">{t('people.until')}</th>
              <th scope="col">{t('people.do')}</th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr>
                <th scope="row">
                  {token.principal}
                  <code class="work-id">{token.tokenId}</code>
                </th>
                <td data-label={t('people.label')}>{token.label ?? '–'}</td>
                <td data-label={t('people.since')}>
                  <Time at={token.createdAt} />
                </td>
                <td data-label={t('people.until')}>
                  {token.expiresAt ? <Time at={token.expiresAt} /> : '–'}
                </td>
                <td class="row-actions">
                  {token.revokedAt ? (
                    <span class="muted">{t('people.revoked')}</span>
                  ) : (
                    <form method="post" action="/people/revoke">
                      <Csrf session={session} />
                      <input type="hidden" name="token" value={token.tokenId} />
                      <button class="danger">{t('people.revoke')}</button>
                    </form>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
