import { Refusal } from '../../core/refusals.js';
import { sendAnswer } from './answers.js';
import { AnswerForm } from './answer-form.js';
import { ArtifactView } from './artifact-view.js';
import type { Fields } from './form.js';
import { seeOther } from './headers.js';
import { Findings, JudgementFacts } from './judgement-facts.js';
import { judgedWork, type JudgedWork } from './judged-work.js';
import { sayOr } from './language.js';
import { Notice } from './layout.js';
import { RefusalBox } from './refusal-page.js';
import type { Screens } from './screens.js';
import { isOwner, type Page, type Visit } from './visit.js';
import { waitingScreen } from './waiting-list.js';
import { StatusChip, workPath } from './work-table.js';

const gatePath = (workId: string): string => `/gates/${encodeURIComponent(workId)}`;

export function gateScreens(screens: Screens): void {
  waitingScreen(screens, { path: '/gates', section: 'gates', status: 'OWNER_GATE' });
  screens.get('/gates/:workId', (visit) => gatePage(visit));
  screens.post('/gates/:workId', async (visit, form) => {
    const workId = visit.param('workId');
    try {
      await sendAnswer(visit.door, 'decide', workId, form);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'UNAUTHENTICATED') throw error;
      return await gatePage(visit, { refusal: error, typed: form });
    }
    return seeOther(`/gates?done=${encodeURIComponent(workId)}`);
  });
}

interface Attempt {
  readonly refusal: Refusal;
  readonly typed: Fields;
}

async function gatePage(visit: Visit, attempt?: Attempt): Promise<Page> {
  const { t, door, param } = visit;
  const judged = await judgedWork(door, param('workId'));
  const { work, artifact, previous } = judged;
  const open = work.status === 'OWNER_GATE' && work.gate !== null && work.wait !== null;
  return {
    title: `${t('nav.gates')}: ${work.title}`,
    section: 'gates',
    status: attempt?.refusal.status ?? 200,
    body: (
      <article data-work={work.workId}>
        <p class="eyebrow">
          <StatusChip t={t} status={work.status} />
        </p>
        <h1>
          {open ? <span class="question">{question(visit, judged)}</span> : null}
          <bdi class={open ? 'subject' : ''}>{work.title}</bdi>
        </h1>
        {attempt ? <Refused visit={visit} attempt={attempt} judged={judged} open={open} /> : null}
        {open ? null : <Notice kind="info">{t('gate.closed')}</Notice>}
        <p id="changed-note" class="notice notice-warn" role="status" hidden>
          {t('gate.changed_since')} <a href={gatePath(work.workId)}>{t('gate.current')}</a>
        </p>
        <div class="two">
          <div>
            {open && work.gate ? <p class="lead">{work.gate.reason}</p> : null}
            {artifact ? (
              <ArtifactView t={t} workId={work.workId} artifact={artifact} previous={previous} />
            ) : (
              <p class="panel muted">{t('artifact.none')}</p>
            )}
            <Findings t={t} findings={work.findings} />
          </div>
          <div>
            {open ? <Decision visit={visit} judged={judged} attempt={attempt} /> : null}
            <JudgementFacts visit={visit} judged={judged} />
          </div>
        </div>
      </article>
    ),
  };
}

function question({ t }: Visit, { work }: JudgedWork): string {
  const action = work.gate?.action ?? '';
  return t('gate.question', { action: sayOr(t, `action.${action}`, action) });
}

/** What was refused and why, a way to what is current, and what was typed, wherever the form has gone. */
function Refused(props: { visit: Visit; attempt: Attempt; judged: JudgedWork; open: boolean }) {
  const { visit, attempt, judged, open } = props;
  const { t } = visit;
  const reason = attempt.typed.get('reason');
  return (
    <div class="refused">
      <RefusalBox t={t} language={visit.language} refusal={attempt.refusal} />
      <p>
        {open ? (
          <a href={gatePath(judged.work.workId)}>{t('gate.current')}</a>
        ) : (
          <a href={workPath(judged.work.workId)}>{t('gate.see_work')}</a>
        )}
        {open ? <span class="muted"> {t('gate.kept_in_form')}</span> : null}
      </p>
      {!open && reason !== '' ? (
        <div class="field">
          <label for="kept">{t('gate.kept')}</label>
          <textarea id="kept" rows={3} readonly>
            {reason}
          </textarea>
        </div>
      ) : null}
    </div>
  );
}

function Decision(props: { visit: Visit; judged: JudgedWork; attempt: Attempt | undefined }) {
  const { visit, judged, attempt } = props;
  const { t, session } = visit;
  const { work } = judged;
  const gate = work.gate;
  if (!gate) return null;
  const action = sayOr(t, `action.${gate.action}`, gate.action);
  return (
    <section class="panel decision" aria-labelledby="decision-title">
      <h2 id="decision-title">{t('gate.decide')}</h2>
      <dl class="allows">
        <dt>{t('gate.allows')}</dt>
        <dd>
          {t('gate.allows_text', { action, status: t(`status.${gate.from}`) })}{' '}
          {work.artifactSha256
            ? t('gate.allows_hash', { hash: work.artifactSha256.slice(0, 12) })
            : t('gate.allows_no_artifact')}
        </dd>
        <dt>{t('gate.not_allows')}</dt>
        <dd>{t('gate.not_allows_text')}</dd>
      </dl>
      {isOwner(session) ? null : <Notice kind="warn">{t('gate.owner_only')}</Notice>}
      <AnswerForm
        visit={visit}
        name="decide"
        work={work}
        action={gatePath(work.workId)}
        typed={attempt?.typed}
        asButtons
      />
    </section>
  );
}
