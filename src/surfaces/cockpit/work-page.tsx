import type { Refusal } from '../../core/refusals.js';
import { CASE_KIND } from '../../core/case.js';
import { ArtifactView } from './artifact-view.js';
import { CaseFacts, CaseForms } from './case-panel.js';
import { DeliveryPanel, isBeingTold } from './delivery-panel.js';
import type { Fields } from './form.js';
import { InputVersions } from './input-versions.js';
import { Findings } from './judgement-facts.js';
import { EffectsPanel } from './effects-panel.js';
import { toAdopt } from './found-results.js';
import { judgedWork } from './judged-work.js';
import type { Say } from './language.js';
import { Notice } from './layout.js';
import { PartialResults } from './partial-results.js';
import { RefusalBox } from './refusal-page.js';
import { StatusGraph } from './status-graph.js';
import { Timeline } from './timeline.js';
import { statusMoves, timelineEntries } from './timeline-entries.js';
import { VerifyLink } from './verified-page.js';
import { hasRole, type Page, type Visit } from './visit.js';
import { whyAdopted } from './why-adopted.js';
import { NoteForm, RetryForm, WorkActions } from './work-actions.js';
import { WorkFacts } from './work-facts.js';
import { WorkStatus, workPath } from './work-table.js';

/** What was tried on the page and refused. */
export interface Tried {
  /** The form: an answer's name, a case's or an effect's. */
  readonly name: string;
  readonly refusal: Refusal;
  readonly typed: Fields;
}

/** A work with everything that is on record about it, and what its reader can do. */
export async function workPage(visit: Visit, tried?: Tried): Promise<Page> {
  const { t, door, param, query, language } = visit;
  const judged = await judgedWork(door, param('workId'));
  const { work, receipts, artifact, previous } = judged;
  const shownCase = work.kind === CASE_KIND ? await door.showCase(work.workId) : null;
  const events = await door.history(work.workId);
  const visited = new Set([...statusMoves(events).values()].map(({ to }) => to));
  return {
    title: work.title,
    status: tried?.refusal.status ?? 200,
    body: (
      <article data-work={work.workId}>
        <p class="eyebrow">
          <WorkStatus t={t} work={work} now_ms={visit.now_ms} />{' '}
          <span class="muted work-name">{work.workId}</span>
        </p>
        <h1>
          <bdi>{work.title}</bdi>
        </h1>
        {query.get('guide') === 'late' ? (
          <Notice kind="info">
            {t('guide.late_done')} <a href="/">{t('guide.next')}</a>
          </Notice>
        ) : null}
        {query.has('done') && !tried ? <Done t={t} done={query.get('done') ?? ''} /> : null}
        {tried ? <RefusalBox t={t} language={language} refusal={tried.refusal} /> : null}
        {work.notApplied ? (
          <Notice kind="warn">
            <p>{t('work.not_applied', { n: work.notApplied.attempts })}</p>
            {hasRole(visit.session, 'operator') ? <RetryForm visit={visit} workId={work.workId} /> : null}
          </Notice>
        ) : null}
        <p id="changed-note" class="notice notice-warn" role="status" hidden>
          {t('work.changed')} <a href={workPath(work.workId)}>{t('work.reload')}</a>
        </p>
        <section class="panel" aria-label={t('work.where')}>
          <StatusGraph t={t} current={work.status} visited={visited} />
        </section>
        <div class="two work-columns">
          <div>
            {shownCase ? <CaseFacts visit={visit} shown={shownCase} /> : null}
            <section class="panel" aria-labelledby="why-title">
              <h2 id="why-title">{t('work.why')}</h2>
              <ul class="why">
                {whyAdopted(t, work, receipts).map((sentence) => (
                  <li>
                    <bdi>{sentence}</bdi>
                  </li>
                ))}
              </ul>
            </section>
            <Findings t={t} findings={work.findings} />
            {artifact ? (
              <ArtifactView t={t} workId={work.workId} artifact={artifact} previous={previous} />
            ) : null}
            <PartialResults visit={visit} work={work} />
            <Timeline t={t} entries={timelineEntries(events, receipts)} />
            <InputVersions t={t} versions={await door.versions(work.workId)} />
          </div>
          <div>
            {shownCase ? <CaseForms visit={visit} shown={shownCase} tried={tried} /> : null}
            {shownCase ? <DeliveryPanel visit={visit} shown={shownCase} /> : null}
            <WorkActions
              visit={visit}
              work={work}
              tried={tried}
              choices={await toAdopt(visit, work)}
              byItself={shownCase !== null && isBeingTold(shownCase)}
            />
            <EffectsPanel visit={visit} work={work} tried={tried} />
            <NoteForm visit={visit} work={work} />
            <WorkFacts visit={visit} judged={judged} />
            <VerifyLink visit={visit} workId={work.workId} />
          </div>
        </div>
      </article>
    ),
  };
}

/** Whether there is a go-ahead is the answer that an announcement asks for; everything else is simply on record. */
function Done({ t, done }: { readonly t: Say; readonly done: string }) {
  if (done === 'go_ahead') return <Notice kind="good">{t('effects.go_ahead')}</Notice>;
  if (done === 'no_second') return <Notice kind="warn">{t('effects.no_second')}</Notice>;
  return <Notice kind="good">{t('work.done')}</Notice>;
}
