import { spelled } from '../core/plain-json.js';
import type { AddressedResume } from '../core/resume.js';
import { Refusal, type Current } from '../core/refusals.js';
import { ACTION_RULES, ACTIONS, actionsIn, type Action } from '../core/transitions.js';
import { waitIdOf, type Party, type Position } from '../core/work.js';
import type { answerSchema } from './answer-schema.js';

/**
 * Says before a run exists what the guard inside the graph would say in it, as a refusal with a code. For servers that
 * have no desk: it knows the checkpoint and nothing else, so nobody is authenticated and no lease runs out.
 * @throws Refusal in the guard's order; returns when the graph would take the answer
 */
export function checkResume(position: Position, interruptId: string | null, resume: AddressedResume): void {
  const current = currentOf(position, interruptId);
  const refuse = (code: 'STALE_INTERRUPT' | 'ALREADY_DECIDED' | 'INPUT_CHANGED', detail: string): Refusal =>
    new Refusal(code, detail, { current });
  const waitId = waitIdOf(position);
  if (resume.waitId !== null && resume.waitId !== waitId) {
    throw isEarlier(resume.waitId, position)
      ? refuse('ALREADY_DECIDED', `${resume.waitId} has its answer already; the current wait is ${waitId}`)
      : refuse('STALE_INTERRUPT', `${resume.waitId} is not the current wait, which is ${waitId}`);
  }
  if (resume.interruptId !== null && resume.interruptId !== interruptId)
    throw refuse('STALE_INTERRUPT', `interruptId ${resume.interruptId} is not the current wait`);
  if (resume.waitId === null || resume.inputVersion === null || resume.artifactSha256 === undefined) {
    const missing = ['waitId', 'inputVersion', 'artifactSha256'].filter(
      (name) =>
        resume[name as 'waitId' | 'inputVersion' | 'artifactSha256'] ===
        (name === 'artifactSha256' ? undefined : null),
    );
    throw new Refusal('INVALID', missing.map((name) => `/${name}: is required`).join('; '), {
      current,
      errors: missing.map((name) => ({ path: `/${name}`, message: 'is required; see exampleAnswers' })),
    });
  }
  if (resume.inputVersion !== position.inputVersion)
    throw refuse('INPUT_CHANGED', `the current input version is ${position.inputVersion}`);
  const held = position.artifact?.sha256 ?? null;
  if (resume.artifactSha256 !== held)
    throw new Refusal('ARTIFACT_MISMATCH', `the checkpoint holds artifact ${held ?? '(none)'}`, { current });
  checkAction(position, resume, current);
}

function checkAction(position: Position, { answer }: AddressedResume, current: Current): void {
  const action = ACTIONS.find((each) => each === answer['action']);
  if (
    action === undefined ||
    !ACTION_RULES[action].external ||
    !actionsIn(position.status).includes(action)
  ) {
    throw new Refusal(
      'ACTION_NOT_ALLOWED',
      `${spelled(answer['action'])} does not exist in ${position.status}`,
      {
        current,
      },
    );
  }
  checkParty(position, action, answer['by'], current);
}

function checkParty(position: Position, action: Action, by: unknown, current: Current): void {
  const { principal, actor } = (by ?? {}) as Partial<Party>;
  const rules = ACTION_RULES[action];
  if (rules.holderOnly && position.holder && position.holder.principal !== principal)
    throw new Refusal('NOT_HOLDER', `${position.holder.principal} holds ${position.workId}`, { current });
  if (
    rules.separate &&
    position.author !== null &&
    (position.author.actor === actor || position.author.principal === principal)
  )
    throw new Refusal('SELF_APPROVAL', `${position.author.actor} is the author of this artifact`, {
      current,
    });
}

/**
 * The last of the checks: every field, by the schema of the wait itself. @throws Refusal INVALID with the path of each
 */
export function checkFields(
  position: Position,
  value: unknown,
  schema: ReturnType<typeof answerSchema>,
): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    path: path.map((key) => `/${String(key)}`).join(''),
    message,
  }));
  throw new Refusal('INVALID', errors.map((each) => `${each.path}: ${each.message}`).join('; '), {
    current: currentOf(position, null),
    errors,
  });
}

function isEarlier(waitId: string, position: Position): boolean {
  const base = waitIdOf(position).replace(/#\d+$/, '#');
  return waitId.startsWith(base) && Number(waitId.slice(base.length)) < position.step;
}

export function currentOf(position: Position, interruptId: string | null): Current {
  return {
    status: position.status,
    interruptId,
    inputVersion: position.inputVersion,
    inputSha256: position.inputSha256,
    artifactSha256: position.artifact?.sha256 ?? null,
    holder: position.holder?.principal ?? null,
    leaseExpiresAt: null,
  };
}
