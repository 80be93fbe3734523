import type { Screens } from './screens.js';

/** What the desk checks for a kind, in the sentences that are made from the table and the kind. */
export function rulesScreens(screens: Screens): void {
  screens.get('/kinds/:kind', async ({ t, door, param }) => {
    const { kind, description, rules } = await door.rules(param('kind'));
    return {
      title: `${t('rules.title')}: ${kind}`,
      section: 'health',
      body: (
        <>
          <h1>
            {t('rules.title')}: {kind}
          </h1>
          <p class="muted">{description}</p>
          <article class="panel" lang="en">
            <dl class="facts">
              {rules.map(({ about, rule }) => (
                <>
                  <dt>{about.replaceAll('_', ' ')}</dt>
                  <dd>{rule}</dd>
                </>
              ))}
            </dl>
          </article>
        </>
      ),
    };
  });
}
