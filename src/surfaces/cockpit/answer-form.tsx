import { randomUUID } from 'node:crypto';
import type { Child } from 'hono/jsx';
import type { WorkView } from '../../operations/views.js';
import { answerForm, type AnswerField, type AnswerName } from './answers.js';
import type { Fields } from './form.js';
import { sayOr, type Say } from './language.js';
import { Csrf } from './layout.js';
import type { Visit } from './visit.js';

/** The part of a work that a form about it carries. */
type Answered = Pick<WorkView, 'workId' | 'wait' | 'artifactSha256' | 'headSha' | 'gate'>;

export type Choices = Readonly<
  Record<string, readonly { readonly value: string; readonly text: string }[] | undefined>
>;

interface AnswerFormProps {
  readonly visit: Visit;
  readonly name: AnswerName;
  readonly work: Answered;
  /** Where the form goes; it comes back to the same page when it is refused. */
  readonly action: string;
  /** What was typed before a refusal, so that nobody types it twice. */
  readonly typed?: Fields | undefined;
  /** One button for each value of the form's one choice, instead of a field and one button. */
  readonly asButtons?: boolean;
  /** Values of that choice that this reader cannot give any more; their buttons stand there without effect. */
  readonly spent?: readonly string[];
  /** The button's words, where they are not the answer's own. */
  readonly label?: string;
  /** What there is to choose from for a field, where that is known only now. */
  readonly choices?: Choices | undefined;
  readonly children?: Child;
}

/**
 * A form that answers one wait: it carries the interrupt ID and the hash of what the page showed, so that an answer
 * to something else is refused, and a key, so that pressing twice answers once.
 */
export function AnswerForm({
  visit,
  name,
  work,
  action,
  typed,
  asButtons = false,
  spent = [],
  label,
  choices = {},
  children,
}: AnswerFormProps) {
  const { t, session } = visit;
  const { fields, grave, namesArtifact } = answerForm(name);
  const choice = asButtons ? fields.find((field) => field.kind === 'choice') : undefined;
  return (
    <form method="post" action={action} class="answer" data-answers={work.wait?.interruptId}>
      <Csrf session={session} />
      <input type="hidden" name="key" value={randomUUID()} />
      <input type="hidden" name="interruptId" value={work.wait?.interruptId ?? ''} />
      {namesArtifact ? <input type="hidden" name="artifactSha256" value={work.artifactSha256 ?? ''} /> : null}
      {namesArtifact && work.headSha ? <input type="hidden" name="headSha" value={work.headSha} /> : null}
      {name === 'decide' ? <input type="hidden" name="gateAction" value={work.gate?.action ?? ''} /> : null}
      {fields
        .filter((field) => field !== choice)
        .map((field) => (
          <FieldInput
            t={t}
            form={name}
            field={field}
            value={typed?.get(field.name) ?? ''}
            choices={choices[field.name] ?? []}
          />
        ))}
      {children}
      <div class="buttons">
        {choice ? (
          (choice.options ?? []).map((option, index) => (
            <button
              name={choice.name}
              value={option}
              disabled={spent.includes(option)}
              class={index === 0 ? 'primary' : option === 'reject' ? 'danger' : ''}
            >
              {sayOr(t, `${choice.name}.${option}`, option)}
            </button>
          ))
        ) : (
          <button class={grave ? 'danger' : 'primary'}>{label ?? t(`act.${name}`)}</button>
        )}
      </div>
    </form>
  );
}

interface FieldInputProps {
  readonly t: Say;
  readonly form: string;
  readonly field: AnswerField;
  readonly value: string;
  readonly choices: NonNullable<Choices[string]>;
}

function FieldInput({ t, form, field, value, choices }: FieldInputProps) {
  const id = `${form}-${field.name}`;
  const label = (
    <label for={id}>
      {sayOr(t, `field.${field.name}`, field.name)}
      {field.required ? null : <span class="muted"> {t('optional')}</span>}
    </label>
  );
  if (field.kind === 'choice') {
    return (
      <fieldset>
        <legend>{sayOr(t, `field.${field.name}`, field.name)}</legend>
        {(field.options ?? []).map((option) => (
          <label class="choice">
            <input type="radio" name={field.name} value={option} required checked={option === value} />
            {sayOr(t, `${field.name}.${option}`, option)}
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <div class="field">
      {label}
      {choices.length > 0 ? (
        <select id={id} name={field.name} required={field.required}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option value={choice.value} selected={choice.value === value}>
              {choice.text}
            </option>
          ))}
        </select>
      ) : field.kind === 'short' ? (
        <input id={id} name={field.name} value={value} required={field.required} autocomplete="off" />
      ) : (
        <textarea id={id} name={field.name} rows={3} required={field.required}>
          {value}
        </textarea>
      )}
    </div>
  );
}
