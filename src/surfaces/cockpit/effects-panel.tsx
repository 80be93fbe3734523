import { randomUUID } from 'node:crypto';
import { EFFECT_FORMS } from './effect-answers.js';
import type { Fields } from './form.js';
import type { JudgedWork } from './judged-work.js';
import { sayOr } from './language.js';
import { Csrf } from './layout.js';
import { Evidence } from './markdown.js';
import { Time } from './time.js';
import { hasRole, type Visit } from './visit.js';
import { workPath } from './work-table.js';

type Work = JudgedWork['work'];
type Effect = Work['effects'][number];

interface EffectsPanelProps {
  readonly visit: Visit;
  readonly work: Work;
  readonly tried?: { readonly name: string; readonly typed: Fields } | undefined;
}

/** What is done outside for a work: what is known of each, reporting what became of it, and announcing another. */
export function EffectsPanel({ visit, work, tried }: EffectsPanelProps) {
  const { t, session } = visit;
  const mayReport = hasRole(session, 'worker', 'operator');
  const mayAnnounce =
    work.status === 'MERGE_READY'
      ? mayReport
      : work.status === 'IN_PROGRESS' && work.holder === session.who.principal;
  if (work.effects.length === 0 && !mayAnnounce) return null;
  const typed = EFFECT_FORMS.find((name) => name === tried?.name) ? tried : undefined;
  return (
    <section class="panel actions" aria-labelledby="effects-title">
      <h2 id="effects-title">{t('work.effects')}</h2>
      {work.effects.length === 0 ? <p class="muted">{t('work.no_effects')}</p> : null}
      {work.effects.map((effect, index) => (
        <EffectEntry
          index={index}
          visit={visit}
          work={work}
          effect={effect}
          mayReport={mayReport}
          typed={typed}
        />
      ))}
      {mayAnnounce && work.wait ? (
        <details open={typed?.name === 'intend'}>
          <summary>{t('effects.announce')}</summary>
          <p class="hint">{t('effects.announce_hint')}</p>
          <form method="post" action={`${workPath(work.workId)}/effect/intend`}>
            <Csrf session={session} />
            <input type="hidden" name="interruptId" value={work.wait.interruptId} />
            <TextField visit={visit} form="intend" name="action" typed={typed?.typed} />
            <TextField visit={visit} form="intend" name="target" typed={typed?.typed} />
            <TextField
              visit={visit}
              form="intend"
              name="operationId"
              typed={typed?.typed}
              value={randomUUID()}
            />
            <div class="buttons">
              <button class="primary">{t('effects.announce')}</button>
            </div>
          </form>
        </details>
      ) : null}
    </section>
  );
}

interface EntryProps {
  readonly visit: Visit;
  readonly work: Work;
  readonly effect: Effect;
  readonly index: number;
  readonly mayReport: boolean;
  readonly typed: { readonly name: string; readonly typed: Fields } | undefined;
}

function EffectEntry({ visit, work, effect, index, mayReport, typed }: EntryProps) {
  const { t, session } = visit;
  const open = effect.outcome === 'intended' || effect.outcome === 'unknown';
  const mine = typed?.name === 'settle' && typed.typed.get('operationId') === effect.operationId;
  const form = `settle-${index}`;
  return (
    <div class="effect">
      <p>
        <strong>
          <bdi>{effect.action}</bdi>
        </strong>{' '}
        → <bdi>{effect.target}</bdi>
        <br />
        <span class={`tag tag-${effect.outcome}`}>
          {sayOr(t, `effect.${effect.outcome}`, effect.outcome)}
        </span>{' '}
        <span class="muted small">
          {effect.intendedBy} · <Time at={effect.settledAt ?? effect.intendedAt} />
        </span>
      </p>
      <p class="small muted">
        <code class="wrap">{effect.operationId}</code>
        {effect.externalId ? (
          <>
            {' · '}
            <Evidence reference={effect.externalId} />
          </>
        ) : null}
        {effect.evidenceRef ? (
          <>
            {' · '}
            <Evidence reference={effect.evidenceRef} />
          </>
        ) : null}
      </p>
      {open && mayReport ? (
        <details open={mine}>
          <summary>{t('effects.report')}</summary>
          <form method="post" action={`${workPath(work.workId)}/effect/settle`}>
            <Csrf session={session} />
            <input type="hidden" name="operationId" value={effect.operationId} />
            <fieldset>
              <legend>{t('field.finding')}</legend>
              {(['confirmed', 'failed', 'unknown'] as const).map((outcome) => (
                <label class="choice">
                  <input
                    type="radio"
                    name="outcome"
                    value={outcome}
                    required
                    checked={mine && typed.typed.get('outcome') === outcome}
                  />
                  {t(`effects.${outcome}`)}
                </label>
              ))}
            </fieldset>
            <TextField
              visit={visit}
              form={form}
              name="externalId"
              typed={mine ? typed.typed : undefined}
              optional
            />
            <TextField visit={visit} form={form} name="evidenceRef" typed={mine ? typed.typed : undefined} />
            <div class="buttons">
              <button class="primary">{t('effects.report')}</button>
            </div>
          </form>
        </details>
      ) : null}
    </div>
  );
}

interface TextFieldProps {
  readonly visit: Visit;
  readonly form: string;
  readonly name: 'action' | 'target' | 'operationId' | 'externalId' | 'evidenceRef';
  readonly typed: Fields | undefined;
  /** What stands there before anybody has typed. */
  readonly value?: string;
  readonly optional?: boolean;
}

function TextField({ visit: { t }, form, name, typed, value = '', optional = false }: TextFieldProps) {
  const id = `${form}-${name}`;
  return (
    <div class="field">
      <label for={id}>
        {t(`field.${name}`)}
        {optional ? <span class="muted"> {t('optional')}</span> : null}
      </label>
      <input id={id} name={name} value={typed?.get(name) || value} required={!optional} autocomplete="off" />
    </div>
  );
}
