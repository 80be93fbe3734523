import { sayOr, type Say } from './language.js';
import { Evidence } from './markdown.js';
import type { JudgedWork } from './judged-work.js';
import { Due, Time } from './time.js';
import { workPath } from './work-table.js';
import type { Visit } from './visit.js';

/** Who made what is to be judged, who looked at it with what evidence, and what has already happened outside. */
export function JudgementFacts({ visit, judged }: { readonly visit: Visit; readonly judged: JudgedWork }) {
  const { t, now_ms } = visit;
  const { work, reviews } = judged;
  return (
    <section class="panel" aria-labelledby="facts-title">
      <h2 id="facts-title">{t('gate.facts')}</h2>
      <dl class="facts">
        <dt>{t('work.work')}</dt>
        <dd>
          <a href={workPath(work.workId)}>{work.workId}</a>
          <span class="muted"> {work.kind}</span>
        </dd>
        <dt>{t('gate.made_by')}</dt>
        <dd>{work.author ?? t('nobody')}</dd>
        <dt>{t('gate.reviewed_by')}</dt>
        <dd>
          {reviews.length === 0 ? (
            <span class="muted">{t('gate.not_reviewed')}</span>
          ) : (
            <ul class="plain">
              {reviews.map((review) => (
                <li>
                  <strong>{review.by}</strong> {sayOr(t, `verdict.${review.verdict}`, review.verdict)} ·{' '}
                  <Time at={review.at} /> · <Evidence reference={review.evidenceRef} />
                </li>
              ))}
            </ul>
          )}
        </dd>
        <dt>{t('work.effects')}</dt>
        <dd>
          <Effects t={t} effects={work.effects} />
        </dd>
        <dt>{t('work.round')}</dt>
        <dd>{work.round}</dd>
        <dt>{t('work.input_version')}</dt>
        <dd>{work.inputVersion}</dd>
        <dt>{t('work.due')}</dt>
        <dd>
          <Due t={t} at={work.dueAt} now_ms={now_ms} />
        </dd>
      </dl>
    </section>
  );
}

export function Effects({
  t,
  effects,
}: {
  readonly t: Say;
  readonly effects: JudgedWork['work']['effects'];
}) {
  if (effects.length === 0) return <span class="muted">{t('work.no_effects')}</span>;
  return (
    <ul class="plain">
      {effects.map((effect) => (
        <li>
          <strong>{effect.action}</strong> → <bdi>{effect.target}</bdi>:{' '}
          {sayOr(t, `effect.${effect.outcome}`, effect.outcome)}
          {effect.externalId ? <code> {effect.externalId}</code> : null}
        </li>
      ))}
    </ul>
  );
}

/** What reviewers and validators found; every line of it is somebody's text. */
export function Findings({
  t,
  findings,
}: {
  readonly t: Say;
  readonly findings: JudgedWork['work']['findings'];
}) {
  if (findings.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="findings-title">
      <h2 id="findings-title">{t('work.findings')}</h2>
      <ul class="findings">
        {findings.map((finding) => (
          <li>
            <span class="tag">{finding.validator}</span> {finding.path ? <code>{finding.path}</code> : null}{' '}
            <bdi>{finding.message}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
