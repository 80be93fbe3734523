import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';
import { JsonTable } from './json-table.js';
import { sayOr, type Say } from './language.js';
import { Csrf } from './layout.js';
import { Evidence } from './markdown.js';
import { Time } from './time.js';
import type { Visit } from './visit.js';
import { workPath } from './work-table.js';

export type ShownCase = Awaited<ReturnType<Door['showCase']>>;

/** Where a case came from, what was tried, and what there is to decide it on. All of it is somebody's text. */
export function CaseFacts({ visit, shown }: { readonly visit: Visit; readonly shown: ShownCase }) {
  const { t } = visit;
  const { work } = shown;
  return (
    <section class="panel" aria-labelledby="case-title">
      <h2 id="case-title">{t('case.title')}</h2>
      <dl class="facts">
        <dt>{t('case.origin')}</dt>
        <dd>
          <bdi>{shown.origin.system}</bdi> · <code class="wrap">{shown.origin.runId}</code>
        </dd>
        <dt>{t('case.classification')}</dt>
        <dd>
          <bdi>{shown.classification}</bdi>
        </dd>
        <dt>{t('case.occurred')}</dt>
        <dd>
          <Time at={shown.occurredAt} /> · {t('case.observations', { n: shown.observations })}
        </dd>
        {shown.awaitingInfo ? (
          <>
            <dt>{t('case.awaiting')}</dt>
            <dd>
              <strong>{shown.awaitingInfo.who}</strong>: <bdi>{shown.awaitingInfo.what}</bdi>
            </dd>
          </>
        ) : null}
        <dt>{t('case.weight')}</dt>
        <dd>
          {t('case.impact', { grade: gradeOf(t, work.impact) })} ·{' '}
          {t('case.urgency', { grade: gradeOf(t, work.urgency) })}
        </dd>
        <Said t={t} name={t('case.operation')} value={shown.operation} />
        <Said t={t} name={t('case.done_so_far')} value={shown.doneSoFar} />
        <Said t={t} name={t('case.external_ids')} value={shown.externalIds} />
        {shown.decision ? (
          <>
            <dt>{t('case.decision')}</dt>
            <dd>
              <strong>{shown.decision.decision}</strong> · <bdi>{shown.decision.reason}</bdi> ·{' '}
              {shown.decision.decidedBy}
              <br />
              <span class="muted">{t(shown.reflectedAt ? 'case.reflected' : 'case.not_reflected')}</span>
            </dd>
          </>
        ) : null}
      </dl>
      {shown.evidence.length > 0 ? (
        <>
          <h3 class="small-title">{t('field.evidenceRef')}</h3>
          <ul class="evidence">
            {shown.evidence.map((item) => (
              <li class={item.current ? '' : 'muted'}>
                <strong>{item.label ?? item.sha256.slice(0, 12)}</strong>{' '}
                <span class="small muted">
                  {item.givenBy} · <Time at={item.at} />
                </span>{' '}
                {item.current ? null : <span class="tag">{t('case.superseded')}</span>}{' '}
                {item.ref ? <Evidence reference={item.ref} /> : null}
                {item.readable ? null : <span class="muted">{t('case.not_readable')}</span>}
                {item.body === null ? null : (
                  <div class="scroll" tabindex={0}>
                    <JsonTable t={t} value={item.body} />
                  </div>
                )}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}

const gradeOf = (t: Say, grade: string | null): string =>
  grade === null ? '–' : sayOr(t, `grade.${grade}`, grade);

/** Something that the origin said, as far as it said anything. */
function Said({ t, name, value }: { readonly t: Say; readonly name: string; readonly value: unknown }) {
  if (value === null || value === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class="scroll" tabindex={0}>
        <JsonTable t={t} value={value} />
      </dd>
    </>
  );
}

interface CaseFormsProps {
  readonly visit: Visit;
  readonly shown: ShownCase;
  readonly tried?: { readonly name: string; readonly typed: Fields } | undefined;
}

/** Deciding a case, asking somebody for material, and adding some. */
export function CaseForms({ visit, shown, tried }: CaseFormsProps) {
  const { t, session } = visit;
  const { work } = shown;
  const held = work.status === 'IN_PROGRESS';
  if (work.wait === null || (!held && shown.awaitingInfo === null)) return null;
  const typed = (form: string, field: string): string => (tried?.name === form ? tried.typed.get(field) : '');
  const field = (form: string, name: string, long = false, required = true) => (
    <div class="field">
      <label for={`${form}-${name}`}>
        {t(`case.field.${name as 'decision'}`)}
        {required ? null : <span class="muted"> {t('optional')}</span>}
      </label>
      {long ? (
        <textarea id={`${form}-${name}`} name={name} rows={3} required={required}>
          {typed(form, name)}
        </textarea>
      ) : (
        <input
          id={`${form}-${name}`}
          name={name}
          value={typed(form, name)}
          required={required}
          autocomplete="off"
        />
      )}
    </div>
  );
  const hidden = (
    <>
      <Csrf session={session} />
      <input type="hidden" name="interruptId" value={work.wait.interruptId} />
      <input type="hidden" name="inputVersion" value={String(work.inputVersion)} />
      <input type="hidden" name="operation" value={JSON.stringify(shown.operation)} />
    </>
  );
  const path = `${workPath(work.workId)}/case`;
  return (
    <section class="panel decision actions" aria-labelledby="case-do">
      <h2 id="case-do">{t('case.do')}</h2>
      {held ? (
        <>
          <details open={!tried || tried.name === 'decide'}>
            <summary>{t('case.decide')}</summary>
            <form method="post" action={`${path}/decide`} data-answers={work.wait.interruptId}>
              {hidden}
              {field('decide', 'decision')}
              {field('decide', 'reason', true)}
              {field('decide', 'result', true, false)}
              <div class="buttons">
                <button class="primary">{t('case.decide')}</button>
              </div>
            </form>
          </details>
          <details open={tried?.name === 'ask'}>
            <summary>{t('case.ask')}</summary>
            <form method="post" action={`${path}/ask`}>
              {hidden}
              {field('ask', 'who')}
              {field('ask', 'what', true)}
              <div class="buttons">
                <button>{t('case.ask')}</button>
              </div>
            </form>
          </details>
        </>
      ) : (
        <details open>
          <summary>{t('case.material')}</summary>
          <form method="post" action={`${path}/material`}>
            {hidden}
            {field('material', 'reason', true)}
            {field('material', 'ref', false, false)}
            <div class="buttons">
              <button>{t('case.material')}</button>
            </div>
          </form>
        </details>
      )}
    </section>
  );
}
