import type { Door } from '../../operations/door.js';
import { Csrf, Lamp } from './layout.js';
import { NextPage } from './next-page.js';
import { Age } from './time.js';
import { hasRole, type Visit } from './visit.js';
import { workPath } from './work-table.js';

type Letters = Awaited<ReturnType<Door['deadLetters']>>;

/** What could not be taken in or told, and waits for somebody to try again or to give it up. */
export function DeadLetters({ visit, letters }: { readonly visit: Visit; readonly letters: Letters }) {
  const { t, session, now_ms } = visit;
  const { items, total, nextCursor } = letters;
  return (
    <section class="panel" aria-labelledby="letters-title">
      <h2 id="letters-title">
        <Lamp state={total > 0 ? 'red' : 'green'} /> {t('health.letters', { n: total })}
      </h2>
      {items.length === 0 ? <p class="muted">{t('health.letters_none')}</p> : null}
      <ul class="letters">
        {items.map((letter) => (
          <li>
            <p>
              <span class="tag">{letter.source}</span> <code class="wrap">{letter.sourceId}</code>{' '}
              <Age t={t} at={letter.createdAt} now_ms={now_ms} /> ·{' '}
              {t('health.attempts', { n: letter.attempts })}
              {letter.workId ? (
                <>
                  {' '}
                  · <a href={workPath(letter.workId)}>{letter.workId}</a>
                </>
              ) : null}
            </p>
            <p class="words">
              <bdi>{letter.reason}</bdi>
            </p>
            {letter.source === 'outbox' && hasRole(session, 'operator') ? (
              <p class="muted">{t('health.close_ends')}</p>
            ) : null}
            {hasRole(session, 'operator') ? (
              <form method="post" action={`/health/letters/${letter.deadLetterId}/redrive`} class="inline">
                <Csrf session={session} />
                <label>
                  <span class="visually-hidden">{t('field.reason')}</span>
                  <input name="reason" required placeholder={t('field.reason')} />
                </label>
                <button class="primary">{t('health.redrive')}</button>
                <button class="danger" formaction={`/health/letters/${letter.deadLetterId}/close`}>
                  {t('health.close')}
                </button>
              </form>
            ) : null}
          </li>
        ))}
      </ul>
      <NextPage visit={visit} cursor={nextCursor} />
    </section>
  );
}
