import { Refusal } from '../../core/refusals.js';
import { CASE_KIND } from '../../core/case.js';
import { isAnswer, sendAnswer } from './answers.js';
import { ArtifactView } from './artifact-view.js';
import { sendCaseForm } from './case-answers.js';
import { CaseFacts, CaseForms } from './case-panel.js';
import type { Fields } from './form.js';
import { seeOther } from './headers.js';
import { InputVersions } from './input-versions.js';
import { Findings } from './judgement-facts.js';
import { judgedWork } from './judged-work.js';
import { Notice } from './layout.js';
import { RefusalBox } from './refusal-page.js';
import type { Screens } from './screens.js';
import { StatusGraph } from './status-graph.js';
import { Timeline } from './timeline.js';
import { timelineEntries } from './timeline-entries.js';
import { hasRole, type Page, type Visit } from './visit.js';
import { whyAdopted } from './why-adopted.js';
import { NoteForm, RetryForm, WorkActions } from './work-actions.js';
import { WorkFacts } from './work-facts.js';
import { StatusChip, workPath } from './work-table.js';

interface Tried {
  /** The form: an answer's name, or a case's. */
  readonly name: string;
  readonly refusal: Refusal;
  readonly typed: Fields;
}

export function workScreens(screens: Screens): void {
  screens.get('/works/:workId', (visit) => workPage(visit));
  screens.post('/works/:workId/act/:action', async (visit, form) => {
    const workId = visit.param('workId');
    const name = visit.param('action');
    if (!isAnswer(name)) throw new Refusal('NOT_FOUND', `no action ${name}`);
    try {
      await sendAnswer(visit.door, name, workId, form);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'UNAUTHENTICATED') throw error;
      return await workPage(visit, { name, refusal: error, typed: form });
    }
    return seeOther(`${workPath(workId)}?done=${name}`);
  });
  screens.post('/works/:workId/retry-apply', async ({ door, param }, form) => {
    await door.retryApply(param('workId'), { reason: form.get('reason').trim() });
    return seeOther(`${workPath(param('workId'))}?done=retry`);
  });
  screens.post('/works/:workId/note', async ({ door, param }, form) => {
    await door.note(param('workId'), { text: form.get('text').trim() });
    return seeOther(`${workPath(param('workId'))}?done=note`);
  });
  screens.post('/works/:workId/case/:form', async (visit, form) => {
    const workId = visit.param('workId');
    const name = visit.param('form');
    try {
      await sendCaseForm(visit.door, name, workId, form, visit.now_ms);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'UNAUTHENTICATED') throw error;
      return await workPage(visit, { name, refusal: error, typed: form });
    }
    return seeOther(`${workPath(workId)}?done=${name}`);
  });
}

async function workPage(visit: Visit, tried?: Tried): Promise<Page> {
  const { t, door, param, query, language } = visit;
  const judged = await judgedWork(door, param('workId'));
  const { work, receipts, artifact, previous } = judged;
  const shownCase = work.kind === CASE_KIND ? await door.showCase(work.workId) : null;
  const events = await door.history(work.workId);
  const visited = new Set(events.flatMap((event) => [event.data['from'], event.data['to']]).map(String));
  return {
    title: work.title,
    section: 'basket',
    status: tried?.refusal.status ?? 200,
    body: (
      <article data-work={work.workId}>
        <p class="eyebrow">
          <StatusChip t={t} status={work.status} /> <span class="muted work-name">{work.workId}</span>
        </p>
        <h1>
          <bdi>{work.title}</bdi>
        </h1>
        {query.get('guide') === 'late' ? <Notice kind="info">{t('guide.late_done')}</Notice> : null}
        {query.has('done') && !tried ? <Notice kind="good">{t('work.done')}</Notice> : null}
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
            <Timeline t={t} entries={timelineEntries(events, receipts)} />
            <InputVersions t={t} versions={await door.versions(work.workId)} />
          </div>
          <div>
            {shownCase ? <CaseForms visit={visit} shown={shownCase} tried={tried} /> : null}
            <WorkActions visit={visit} work={work} tried={tried} />
            <NoteForm visit={visit} work={work} />
            <WorkFacts visit={visit} judged={judged} />
          </div>
        </div>
      </article>
    ),
  };
}
