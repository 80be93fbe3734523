import type { ShownCase } from './case-panel.js';
import { Csrf } from './layout.js';
import { Time } from './time.js';
import { hasRole, type Visit } from './visit.js';
import { workPath } from './work-table.js';

/** The desk is still at it, and completes the case itself. */
export const isBeingTold = ({ work, deliveries }: ShownCase): boolean =>
  work.status === 'MERGE_READY' && deliveries.some(({ nextAt }) => nextAt !== null);

/** How far telling the origin has come: what was tried, why it failed, and when it is tried again. */
export function DeliveryPanel({ visit, shown }: { readonly visit: Visit; readonly shown: ShownCase }) {
  const { t, session } = visit;
  const { work, deliveries } = shown;
  if (deliveries.length === 0) return null;
  const waits = isBeingTold(shown);
  return (
    <section class="panel" aria-labelledby="delivery-title">
      <h2 id="delivery-title">{t('delivery.title')}</h2>
      {deliveries.toReversed().map((delivery) => (
        <dl class="facts">
          <dt>
            <span class="tag">{delivery.target}</span>
          </dt>
          <dd>
            <strong>{t(`delivery.state.${delivery.state}`)}</strong> ·{' '}
            {t('health.attempts', { n: delivery.attempts })}
            {delivery.url ? (
              <>
                <br />
                <code class="wrap">{delivery.url}</code>
              </>
            ) : null}
          </dd>
          {delivery.lastError ? (
            <>
              <dt>{t('delivery.last_error')}</dt>
              <dd class="words">
                <bdi>{delivery.lastError}</bdi>
              </dd>
            </>
          ) : null}
          {delivery.nextAt && waits ? (
            <>
              <dt>{t('delivery.next')}</dt>
              <dd>
                <Time at={delivery.nextAt} />
              </dd>
            </>
          ) : null}
        </dl>
      ))}
      {work.status === 'MERGE_READY' ? <p class="muted">{t('delivery.by_hand')}</p> : null}
      {waits && hasRole(session, 'operator') ? (
        <form method="post" action={`${workPath(work.workId)}/case/tell-now`} class="inline">
          <Csrf session={session} />
          <label>
            <span class="visually-hidden">{t('field.reason')}</span>
            <input name="reason" required placeholder={t('field.reason')} autocomplete="off" />
          </label>
          <button>{t('delivery.now')}</button>
        </form>
      ) : null}
      {deliveries.some(({ state }) => state === 'dead') && work.status === 'MERGE_READY' ? (
        <p>
          <a href="/health#letters-title">{t('view.dead_letters')}</a>
        </p>
      ) : null}
    </section>
  );
}
