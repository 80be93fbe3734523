import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';
import { JsonTable } from './json-table.js';
import { Csrf } from './layout.js';
import { Evidence } from './markdown.js';
import { Time } from './time.js';
import type { Visit } from './visit.js';
import { workPath } from './work-table.js';

export type ShownCase = Awaited<ReturnType<Door['showCase']>>;

/** Where a case came from, what was tried, and what there is to decide it on. All of it is somebody's text. */
export function CaseFacts({ visit, shown }: { readonly visit: Visit; readonly shown: ShownCase }) {
  const { t } = visit;
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
        {shown.doneSoFar === null ? null : (
          <>
            <dt>{t('case.done_so_far')}</dt>
            <dd>
              <JsonTable t={t} value={shown.doneSoFar} />
            </dd>
          </>
        )}
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
              <li>
                <strong>{item.label ?? item.sha256.slice(0, 12)}</strong>{' '}
                {item.ref ? <Evidence reference={item.ref} /> : null}
                {item.readable ? null : <span class="muted">{t('case.not_readable')}</span>}
                {item.body === null ? null : <JsonTable t={t} value={item.body} />}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
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
