import type { Refusal } from '../../core/refusals.js';
import { sayOr, type Language, type Say } from './language.js';
import { refusalsJa } from './texts/refusals-ja.js';

interface RefusalProps {
  readonly t: Say;
  readonly language: Language;
  readonly refusal: Refusal;
}

/** A refusal in the reader's language: what it is, what the record says, what is current, what to do next. */
export function RefusalBox({ t, language, refusal }: RefusalProps) {
  const { current, errors, changes } = refusal.details;
  const [title, next] = refusalWords(language, refusal);
  return (
    <section class="notice notice-bad refusal" role="alert" aria-labelledby="refusal-title">
      <h2 id="refusal-title">{title}</h2>
      <p>{next}</p>
      <p class="small">
        <code>{refusal.code}</code> <bdi>{refusal.detail}</bdi>
      </p>
      {errors && errors.length > 0 ? (
        <ul>
          {errors.map((error) => (
            <li>
              <code>{error.path || '/'}</code> {error.message}
            </li>
          ))}
        </ul>
      ) : null}
      {changes && changes.length > 0 ? (
        <details open>
          <summary>{t('refusal.changes')}</summary>
          <ul class="changes">
            {changes.slice(0, 50).map((change) => (
              <li>
                <code>{JSON.stringify(change)}</code>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      {current ? (
        <dl class="facts">
          <dt>{t('refusal.now')}</dt>
          <dd>{sayOr(t, `status.${current.status}`, current.status)}</dd>
          <dt>{t('work.input_version')}</dt>
          <dd>{current.inputVersion}</dd>
          <dt>{t('work.holder')}</dt>
          <dd>{current.holder ?? t('nobody')}</dd>
        </dl>
      ) : null}
    </section>
  );
}

function refusalWords(language: Language, refusal: Refusal): readonly [title: string, next: string] {
  return language === 'ja' ? refusalsJa[refusal.code] : [refusal.title, refusal.next];
}

/** A whole page for a refusal that no page of its own knows how to show. */
export function RefusalPage({ t, language, refusal }: RefusalProps) {
  return (
    <>
      <h1>{t('refusal.page')}</h1>
      <RefusalBox t={t} language={language} refusal={refusal} />
      <p>
        <a href="/">{t('nav.board')}</a>
      </p>
    </>
  );
}
