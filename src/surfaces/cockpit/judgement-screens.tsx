import type { Child } from 'hono/jsx';
import type { Refusal } from '../../core/refusals.js';
import { AnswerForm } from './answer-form.js';
import { answerForm, sendAnswer, type AnswerName } from './answers.js';
import { ArtifactView } from './artifact-view.js';
import type { Fields } from './form.js';
import { Findings, JudgementFacts } from './judgement-facts.js';
import { judgedWork, type JudgedWork } from './judged-work.js';
import { Notice } from './layout.js';
import { RefusalBox } from './refusal-page.js';
import { Reservation } from './reservation.js';
import type { Screens } from './screens.js';
import { tryForm } from './try-form.js';
import type { Page, Visit } from './visit.js';
import { waitingScreen } from './waiting-list.js';
import { WorkStatus, workPath } from './work-table.js';

/** One sort of judgement: a list of what waits for it, a page for each, and the form that gives it. */
export interface Judgement {
  readonly section: 'gates' | 'reviews';
  readonly status: 'OWNER_GATE' | 'VP_REVIEW';
  readonly answer: AnswerName & ('decide' | 'review');
  /** The answer as one button for each choice, instead of a field and one button. */
  readonly asButtons?: boolean;
  readonly question: (visit: Visit, judged: JudgedWork) => string;
  /** Why it is asked, above the result; null where the question says it all. */
  readonly lead: (visit: Visit, judged: JudgedWork) => Child;
  /** Choices that this reader has given already and that count once. */
  readonly spent?: (visit: Visit, judged: JudgedWork) => readonly string[];
  /** What stands above the form. */
  readonly before: (visit: Visit, judged: JudgedWork) => Child;
}

/** What was tried and refused, with what was typed. */
interface Attempt {
  readonly name: AnswerName;
  readonly refusal: Refusal;
  readonly typed: Fields;
}

export function judgementScreens(screens: Screens, judgement: Judgement): void {
  const { section, status, answer } = judgement;
  waitingScreen(screens, { path: `/${section}`, section, status });
  screens.get(`/${section}/:workId`, (visit) => judgementPage(visit, judgement));
  const send = (visit: Visit, form: Fields, name: AnswerName, next: string) =>
    tryForm(
      async () => {
        await sendAnswer(visit.door, name, visit.param('workId'), form);
        return next;
      },
      (refusal) => judgementPage(visit, judgement, { name, refusal, typed: form }),
    );
  screens.post(`/${section}/:workId`, (visit, form) =>
    send(visit, form, answer, `/${section}?done=${encodeURIComponent(visit.param('workId'))}`),
  );
  for (const name of ['claim', 'release'] as const) {
    screens.post(`/${section}/:workId/${name}`, (visit, form) =>
      send(visit, form, name, pathOf(section, visit.param('workId'))),
    );
  }
}

const pathOf = (section: string, workId: string): string => `/${section}/${encodeURIComponent(workId)}`;

async function judgementPage(visit: Visit, judgement: Judgement, attempt?: Attempt): Promise<Page> {
  const { t, door, param } = visit;
  const { section } = judgement;
  const judged = await judgedWork(door, param('workId'));
  const { work, artifact, previous } = judged;
  const open = work.status === judgement.status && work.wait !== null;
  const here = pathOf(section, work.workId);
  return {
    title: `${t(`nav.${section}`)}: ${work.title}`,
    section,
    status: attempt?.refusal.status ?? 200,
    body: (
      <article data-work={work.workId}>
        <p class="eyebrow">
          <WorkStatus t={t} work={work} now_ms={visit.now_ms} />
        </p>
        <h1>
          {open ? <span class="question">{judgement.question(visit, judged)}</span> : null}
          <bdi class={open ? 'subject' : ''}>{work.title}</bdi>
        </h1>
        {attempt ? <Refused {...{ visit, attempt, judged, judgement, open }} /> : null}
        {open ? null : <Notice kind="info">{t(`${section}.closed`)}</Notice>}
        <p id="changed-note" class="notice notice-warn" role="status" hidden>
          {t('gate.changed_since')} <a href={here}>{t('gate.current')}</a>
        </p>
        <div class="two">
          <div>
            {open ? judgement.lead(visit, judged) : null}
            {artifact ? (
              <ArtifactView t={t} workId={work.workId} artifact={artifact} previous={previous} />
            ) : (
              <p class="panel muted">{t('artifact.none')}</p>
            )}
            <Findings t={t} findings={work.findings} />
          </div>
          <div>
            {open ? (
              <section class="panel decision" aria-labelledby="judgement-title">
                <h2 id="judgement-title">{t(`${section}.yours`)}</h2>
                {judgement.before(visit, judged)}
                <AnswerForm
                  visit={visit}
                  name={judgement.answer}
                  work={work}
                  action={here}
                  typed={attempt?.name === judgement.answer ? attempt.typed : undefined}
                  asButtons={judgement.asButtons ?? false}
                  spent={judgement.spent?.(visit, judged) ?? []}
                />
                <Reservation visit={visit} work={work} path={here} />
              </section>
            ) : null}
            <JudgementFacts visit={visit} judged={judged} />
          </div>
        </div>
      </article>
    ),
  };
}

interface RefusedProps {
  readonly visit: Visit;
  readonly attempt: Attempt;
  readonly judged: JudgedWork;
  readonly judgement: Judgement;
  readonly open: boolean;
}

/** What was refused and why, a way to what is current, and what was typed, wherever the form has gone. */
function Refused({ visit, attempt, judged, judgement, open }: RefusedProps) {
  const { t } = visit;
  const { workId } = judged.work;
  const kept = answerForm(judgement.answer)
    .fields.filter((field) => field.kind !== 'choice')
    .map((field) => attempt.typed.get(field.name))
    .filter((text) => text !== '')
    .join('\n');
  return (
    <div class="refused">
      {open &&
      attempt.refusal.code === 'ALREADY_DECIDED' &&
      (judgement.spent?.(visit, judged) ?? []).length > 0 ? (
        // The wait is open; it is this reader who has answered it.
        <Notice kind="warn">{t('gate.approved_already')}</Notice>
      ) : (
        <RefusalBox t={t} language={visit.language} refusal={attempt.refusal} />
      )}
      <p>
        {open ? (
          <a href={pathOf(judgement.section, workId)}>{t('gate.current')}</a>
        ) : (
          <a href={workPath(workId)}>{t('gate.see_work')}</a>
        )}
        {open && kept !== '' ? <span class="muted"> {t('gate.kept_in_form')}</span> : null}
      </p>
      {!open && kept !== '' ? (
        <div class="field">
          <label for="kept">{t('gate.kept')}</label>
          <textarea id="kept" rows={3} readonly>
            {kept}
          </textarea>
        </div>
      ) : null}
    </div>
  );
}
