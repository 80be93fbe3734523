import { Refusal } from '../../core/refusals.js';
import { AnswerForm } from './answer-form.js';
import { sendAnswer } from './answers.js';
import { ArtifactView } from './artifact-view.js';
import type { Fields } from './form.js';
import { seeOther } from './headers.js';
import { Findings, JudgementFacts } from './judgement-facts.js';
import { judgedWork } from './judged-work.js';
import { Notice } from './layout.js';
import { RefusalBox } from './refusal-page.js';
import type { Screens } from './screens.js';
import type { Page, Visit } from './visit.js';
import { waitingScreen } from './waiting-list.js';
import { StatusChip } from './work-table.js';

const reviewPath = (workId: string): string => `/reviews/${encodeURIComponent(workId)}`;

export function reviewScreens(screens: Screens): void {
  waitingScreen(screens, { path: '/reviews', section: 'reviews', status: 'VP_REVIEW' });
  screens.get('/reviews/:workId', (visit) => reviewPage(visit));
  screens.post('/reviews/:workId', async (visit, form) => {
    const workId = visit.param('workId');
    try {
      await sendAnswer(visit.door, 'review', workId, form);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'UNAUTHENTICATED') throw error;
      return await reviewPage(visit, { refusal: error, typed: form });
    }
    return seeOther(`/reviews?done=${encodeURIComponent(workId)}`);
  });
}

async function reviewPage(visit: Visit, attempt?: { refusal: Refusal; typed: Fields }): Promise<Page> {
  const { t, door, session, param } = visit;
  const judged = await judgedWork(door, param('workId'));
  const { work, artifact, previous } = judged;
  const open = work.status === 'VP_REVIEW' && work.wait !== null;
  return {
    title: `${t('nav.reviews')}: ${work.title}`,
    section: 'reviews',
    status: attempt?.refusal.status ?? 200,
    body: (
      <article data-work={work.workId}>
        <p class="eyebrow">
          <StatusChip t={t} status={work.status} />
        </p>
        <h1>
          {open ? <span class="question">{t('review.question')}</span> : null}
          <bdi class={open ? 'subject' : ''}>{work.title}</bdi>
        </h1>
        {attempt ? <RefusalBox t={t} language={visit.language} refusal={attempt.refusal} /> : null}
        {attempt ? (
          <p>
            <a href={reviewPath(work.workId)}>{t('gate.current')}</a>
          </p>
        ) : null}
        {open ? null : <Notice kind="info">{t('review.closed')}</Notice>}
        <p id="changed-note" class="notice notice-warn" role="status" hidden>
          {t('gate.changed_since')} <a href={reviewPath(work.workId)}>{t('gate.current')}</a>
        </p>
        <div class="two">
          <div>
            {artifact ? (
              <ArtifactView t={t} workId={work.workId} artifact={artifact} previous={previous} />
            ) : (
              <p class="panel muted">{t('artifact.none')}</p>
            )}
            <Findings t={t} findings={work.findings} />
          </div>
          <div>
            {open || attempt ? (
              <section class="panel decision" aria-labelledby="verdict-title">
                <h2 id="verdict-title">{t('review.verdict')}</h2>
                {work.author === session.who.principal ? (
                  <Notice kind="warn">{t('review.own')}</Notice>
                ) : null}
                <p class="hint">{t('review.hint')}</p>
                <AnswerForm
                  visit={visit}
                  name="review"
                  work={work}
                  action={reviewPath(work.workId)}
                  typed={attempt?.typed}
                />
              </section>
            ) : null}
            <JudgementFacts visit={visit} judged={judged} />
          </div>
        </div>
      </article>
    ),
  };
}
