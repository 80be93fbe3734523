import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';

/** One thing a person fills in. Its name is the door's own, so what is sent is what the contract says. */
export interface AnswerField {
  readonly name: string;
  readonly kind: 'long' | 'short' | 'choice' | 'lines';
  readonly options?: readonly string[];
  readonly required: boolean;
}

interface AnswerForm {
  readonly verb: keyof Door;
  readonly fields: readonly AnswerField[];
  /** The form carries the hash of the artifact that the page showed. */
  readonly namesArtifact?: boolean;
  /** Ends the work or binds the owner: set apart from the rest. */
  readonly grave?: boolean;
  /** Only offered to whoever holds the work. */
  readonly holderOnly?: boolean;
  /** Whom it makes sense to offer this to, besides the owner. Whether it is allowed is decided when it is tried. */
  readonly roles: readonly string[];
}

const long = (name: string, required = true): AnswerField => ({ name, kind: 'long', required });
const short = (name: string, required = true): AnswerField => ({ name, kind: 'short', required });
const choice = (name: string, ...options: readonly string[]): AnswerField => ({
  name,
  kind: 'choice',
  options,
  required: true,
});
const MOVE: Pick<AnswerForm, 'fields' | 'roles'> = { fields: [long('reason')], roles: ['operator'] };

/** The answers that people give here, and what each asks for. */
export const ANSWERS = {
  promote: { verb: 'promote', ...MOVE },
  claim: { verb: 'claim', fields: [], roles: ['worker'] },
  review: {
    verb: 'review',
    fields: [
      choice('verdict', 'PASS', 'REWORK', 'ESCALATE'),
      short('evidenceRef'),
      { name: 'findings', kind: 'lines', required: false },
    ],
    namesArtifact: true,
    roles: ['reviewer'],
  },
  decide: {
    verb: 'decide',
    fields: [choice('decision', 'approve', 'rework', 'hold', 'reject'), long('reason')],
    namesArtifact: true,
    roles: [],
  },
  complete: {
    verb: 'complete',
    fields: [
      choice('outcome', 'merged', 'conflict', 'unknown'),
      short('externalId', false),
      short('evidenceRef'),
    ],
    namesArtifact: true,
    roles: ['worker', 'operator'],
  },
  observe: {
    verb: 'observe',
    fields: [choice('outcome', 'ok', 'regressed'), short('evidenceRef')],
    roles: ['reviewer', 'operator'],
  },
  asset: { verb: 'asset', fields: [short('assetRef')], roles: ['worker', 'operator'] },
  release: {
    verb: 'release',
    fields: [long('reason'), long('note', false)],
    roles: ['worker'],
    holderOnly: true,
  },
  handoff: {
    verb: 'handoff',
    fields: [short('to', false), long('reason'), long('note', false)],
    roles: ['operator'],
  },
  investigate: {
    verb: 'investigate',
    fields: [
      choice('finding', 'result_found', 'nothing_found', 'outcome_unknown'),
      short('evidenceRef'),
      short('adopts', false),
    ],
    roles: ['operator'],
  },
  reconcile: {
    verb: 'reconcile',
    fields: [
      choice('finding', 'happened', 'did_not_happen', 'still_unknown'),
      short('evidenceRef'),
      short('externalId', false),
    ],
    roles: ['operator'],
  },
  escalate: { verb: 'escalate', fields: [short('gateAction'), long('reason')], roles: ['operator'] },
  hold: { verb: 'hold', ...MOVE },
  resume: { verb: 'resume', ...MOVE },
  block: { verb: 'block', ...MOVE },
  unblock: { verb: 'unblock', ...MOVE },
  cancel: { verb: 'cancel', ...MOVE, grave: true },
} as const satisfies Record<string, AnswerForm>;
export type AnswerName = keyof typeof ANSWERS;

export function isAnswer(name: string): name is AnswerName {
  return Object.hasOwn(ANSWERS, name);
}

export function answerForm(name: AnswerName): AnswerForm {
  return ANSWERS[name];
}

/** The door's body of a form: what was left empty is left out, so that the guard says what is missing. */
export function answerBody(name: AnswerName, form: Fields): Record<string, unknown> {
  const { fields, namesArtifact } = answerForm(name);
  const body: Record<string, unknown> = {};
  const interruptId = form.get('interruptId');
  if (interruptId !== '') body['interruptId'] = interruptId;
  if (namesArtifact) {
    const artifactSha256 = form.get('artifactSha256');
    if (artifactSha256 !== '') body['artifactSha256'] = artifactSha256;
    // A gate raised before anything was made stands on no artifact, and its decision says so.
    else if (name === 'decide') body['artifactSha256'] = null;
    const headSha = form.get('headSha');
    if (headSha !== '' && name === 'review') body['headSha'] = headSha;
  }
  if (name === 'decide') body['action'] = form.get('gateAction') || undefined;
  for (const field of fields) {
    const value = form.get(field.name).trim();
    if (value === '') continue;
    // The door calls it by the name that decisions use too.
    body[field.name === 'gateAction' ? 'action' : field.name] =
      field.kind === 'lines'
        ? value
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '')
        : value;
  }
  return body;
}

/** Sends an answer through the visitor's door. @throws Refusal, after it is on record */
export async function sendAnswer(door: Door, name: AnswerName, workId: string, form: Fields): Promise<void> {
  const idempotencyKey = form.get('key');
  const verb = door[ANSWERS[name].verb];
  await verb(workId, answerBody(name, form), idempotencyKey === '' ? {} : { idempotencyKey });
}
