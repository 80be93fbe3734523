import { sayOr } from './language.js';
import { Evidence } from './markdown.js';
import type { JudgedWork } from './judged-work.js';
import { Due, Time } from './time.js';
import type { Visit } from './visit.js';
import { workPath } from './work-table.js';

/** What is known of a work at this moment. */
export function WorkFacts({ visit, judged }: { readonly visit: Visit; readonly judged: JudgedWork }) {
  const { t, now_ms } = visit;
  const { work } = judged;
  return (
    <section class="panel" aria-labelledby="now-title">
      <h2 id="now-title">{t('work.facts')}</h2>
      <dl class="facts">
        <dt>{t('work.kind')}</dt>
        <dd>
          <a href={`/kinds/${encodeURIComponent(work.kind)}`}>{work.kind}</a>
        </dd>
        <dt>{t('work.holder')}</dt>
        <dd>{work.holder ?? <span class="muted">{t('nobody')}</span>}</dd>
        {work.lease ? (
          <>
            <dt>{t('work.lease')}</dt>
            <dd>
              {sayOr(t, `lease.${work.lease.state}`, work.lease.state)}
              {work.lease.expiresAt ? (
                <>
                  {' · '}
                  {t('work.until')} <Time at={work.lease.expiresAt} />
                </>
              ) : null}
            </dd>
          </>
        ) : null}
        <dt>{t('work.due')}</dt>
        <dd>
          <Due t={t} at={work.dueAt} now_ms={now_ms} />
        </dd>
        <dt>{t('work.round')}</dt>
        <dd>{work.round}</dd>
        <dt>{t('work.input_version')}</dt>
        <dd>{work.inputVersion}</dd>
        {work.externalId ? (
          <>
            <dt>{t('work.external')}</dt>
            <dd>
              <Evidence reference={work.externalId} />
            </dd>
          </>
        ) : null}
        {work.assetRef ? (
          <>
            <dt>{t('work.asset')}</dt>
            <dd>
              <Evidence reference={work.assetRef} />
            </dd>
          </>
        ) : null}
        {work.blockedBy.length > 0 ? (
          <>
            <dt>{t('work.blocked_by')}</dt>
            <dd>
              <ul class="plain">
                {work.blockedBy.map((workId) => (
                  <li>
                    <a href={workPath(workId)}>{workId}</a>
                  </li>
                ))}
              </ul>
            </dd>
          </>
        ) : null}
        <dt>{t('work.created')}</dt>
        <dd>
          <Time at={work.createdAt} /> · <bdi>{work.createdBy}</bdi>
        </dd>
        <dt>{t('work.thread')}</dt>
        <dd>
          <code id="thread-id">{work.threadId}</code>{' '}
          <button type="button" class="small-button" data-copy={work.threadId} data-copy-from="thread-id">
            {t('copy')}
          </button>
        </dd>
      </dl>
    </section>
  );
}
