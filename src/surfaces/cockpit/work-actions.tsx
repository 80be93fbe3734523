import { actionsIn } from '../../core/transitions.js';
import { AnswerForm, type Choices } from './answer-form.js';
import { answerForm, isAnswer, type AnswerName } from './answers.js';
import type { Fields } from './form.js';
import type { JudgedWork } from './judged-work.js';
import { Csrf } from './layout.js';
import { isSilent } from './signals.js';
import { hasRole, type Visit } from './visit.js';
import { answerPath, workPath } from './work-table.js';

export const actPath = (workId: string, name: AnswerName): string => `${workPath(workId)}/act/${name}`;

/** What a work usually waits for; the rest is folded away until it is wanted. */
const OPEN_AT_ONCE: ReadonlySet<AnswerName> = new Set([
  'promote',
  'claim',
  'complete',
  'observe',
  'asset',
  'reconcile',
]);

const NONE: ReadonlySet<AnswerName> = new Set();

interface WorkActionsProps {
  readonly visit: Visit;
  readonly work: JudgedWork['work'];
  readonly choices?: Choices;
  /** The desk itself is about to complete it; that somebody does so in its place is the exception. */
  readonly byItself?: boolean | undefined;
  /** What was tried and refused, to be opened again with what was typed. */
  readonly tried?: { readonly name: string; readonly typed: Fields } | undefined;
}

/** What this visitor can do about a work now, each folded away until it is wanted. */
export function WorkActions({ visit, work, tried, choices, byItself }: WorkActionsProps) {
  const { t, session, now_ms } = visit;
  const elsewhere = answerPath(work);
  const opens = byItself ? NONE : OPEN_AT_ONCE;
  const offered = actionsIn(work.status)
    .filter(isAnswer)
    .filter((name) => name !== 'decide' && name !== 'review')
    .filter((name) => hasRole(session, ...answerForm(name).roles))
    // While the lease runs there is nothing to investigate: its holder is at it.
    .filter((name) => name !== 'investigate' || isSilent(work, now_ms))
    .filter((name) => !answerForm(name).holderOnly || work.holder === session.who.principal);
  if (work.wait === null || (offered.length === 0 && elsewhere === workPath(work.workId))) return null;
  return (
    <section class="panel actions" aria-labelledby="act-title">
      <h2 id="act-title">{t('work.act')}</h2>
      {elsewhere === workPath(work.workId) ? null : (
        <p>
          <a class="button button-primary" href={elsewhere}>
            {t('work.answer_here')}
          </a>
        </p>
      )}
      {offered.map((name, index) => (
        <details
          open={
            tried
              ? tried.name === name
              : index === 0 && opens.has(name) && elsewhere === workPath(work.workId)
          }
        >
          <summary>{t(`act.${name}`)}</summary>
          <AnswerForm
            visit={visit}
            name={name}
            work={work}
            action={actPath(work.workId, name)}
            typed={tried?.name === name ? tried.typed : undefined}
            choices={name === 'investigate' ? choices : undefined}
          />
        </details>
      ))}
    </section>
  );
}

/** Advice that moves nothing; anybody who sees the work may leave some. */
export function NoteForm({ visit, work }: WorkActionsProps) {
  const { t, session } = visit;
  return (
    <details class="panel">
      <summary>{t('act.note')}</summary>
      <form method="post" action={`${workPath(work.workId)}/note`}>
        <Csrf session={session} />
        <div class="field">
          <label for="note-text">{t('field.text')}</label>
          <textarea id="note-text" name="text" rows={3} required></textarea>
        </div>
        <div class="buttons">
          <button>{t('act.note')}</button>
        </div>
      </form>
    </details>
  );
}

/** Brings an accepted answer to its thread once more; nobody is asked again. */
export function RetryForm({ visit, workId }: { readonly visit: Visit; readonly workId: string }) {
  const { t, session } = visit;
  return (
    <form method="post" action={`${workPath(workId)}/retry-apply`} class="inline">
      <Csrf session={session} />
      <label>
        <span class="visually-hidden">{t('field.reason')}</span>
        <input name="reason" required placeholder={t('field.reason')} autocomplete="off" />
      </label>
      <button>{t('health.redrive')}</button>
    </form>
  );
}
