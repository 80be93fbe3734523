import type { Visit } from './visit.js';

/**
 * Filters under names of one's own. A saved view is nothing but its address, so anybody it is sent to sees the same;
 * the names are kept by the reader's browser, apart for each principal. Shown by the script that keeps them.
 */
export function SavedViews({ visit: { t, session } }: { readonly visit: Visit }) {
  return (
    <section
      id="saved"
      class="saved"
      aria-label={t('saved.title')}
      data-keeps={`${session.who.tenant}/${session.who.principal}`}
      data-remove={t('saved.remove')}
      hidden
    >
      <span class="muted small">{t('saved.title')}</span>
      <ul class="plain"></ul>
      <form>
        <label>
          <span class="visually-hidden">{t('saved.name')}</span>
          <input name="name" placeholder={t('saved.name')} maxlength={60} required autocomplete="off" />
        </label>
        <button class="small-button">{t('saved.save')}</button>
      </form>
    </section>
  );
}
