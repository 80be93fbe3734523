import { spelled } from '../../core/plain-json.js';
import { readResume, type AddressedResume } from '../../core/resume.js';
import { Refusal } from '../../core/refusals.js';
import { ACTION_RULES, ACTIONS, type Action } from '../../core/transitions.js';
import type { CallOptions } from '../../operations/answer-wait.js';
import type { Door } from '../../operations/door.js';
import type { ThreadWork } from '../../operations/threads.js';
import type { ReceiptView, WorkView } from '../../operations/views.js';

/** What every verb that answers a wait gives back. */
export interface Taken {
  readonly receipt: ReceiptView;
  readonly work: WorkView;
  readonly replayed: boolean;
}

type AnswerVerb = (workId: string, body: unknown, options?: CallOptions) => Promise<Taken>;

/** Where the door's verb is not called as the graph's action is. */
const VERBS: Partial<Record<Action, string>> = { result: 'submit' };

/**
 * Brings a resume to the desk as the submission that it is. Who answers is who authenticated, whatever `by` says.
 * @throws Refusal: what the guard says, on record, before anything runs
 */
export async function answerWith(
  door: Door,
  thread: ThreadWork,
  value: unknown,
  options: CallOptions,
): Promise<Taken> {
  const resume = readResume(value);
  const action = ACTIONS.find((each) => each === resume.answer['action']);
  const verb = action === undefined ? undefined : verbOf(door, action);
  if (action === undefined || verb === undefined) {
    throw new Refusal(
      'ACTION_NOT_ALLOWED',
      action === 'correct'
        ? 'a correction is registered with its input: POST /v1/works with correction.reason'
        : `${spelled(resume.answer['action'])} is no action that answers a wait`,
    );
  }
  const { workId } = thread.work;
  const interruptId = addressee(resume, thread);
  if (interruptId === thread.current.interruptId) checkArtifact(resume, thread);
  return await verb(workId, bodyOf(action, resume, interruptId), {
    ...options,
    ...(resume.inputVersion === null ? {} : { inputVersion: resume.inputVersion }),
  });
}

function verbOf(door: Door, action: Action): AnswerVerb | undefined {
  if (!ACTION_RULES[action].external) return undefined;
  const verbs = door as unknown as Record<string, AnswerVerb | undefined>;
  const name = VERBS[action] ?? action;
  return Object.hasOwn(verbs, name) ? verbs[name] : undefined;
}

/**
 * The wait that a resume is for. An envelope's `waitId` stands for the current interrupt where it names the current
 * wait; where it does not, it is passed on as it is, so that the guard refuses it and keeps the refusal on record.
 */
function addressee(resume: AddressedResume, { waitId, current }: ThreadWork): string {
  const matches = resume.waitId === null || resume.waitId === waitId;
  if (resume.interruptId !== null && (matches || resume.interruptId !== current.interruptId))
    return resume.interruptId;
  return matches && current.interruptId !== null ? current.interruptId : (resume.waitId ?? '');
}

/** The envelope stands for one artifact, also where the action itself does not name any. */
function checkArtifact(resume: AddressedResume, { current }: ThreadWork): void {
  if (resume.artifactSha256 === undefined || resume.artifactSha256 === current.artifactSha256) return;
  throw new Refusal(
    'ARTIFACT_MISMATCH',
    `the checkpoint holds artifact ${current.artifactSha256 ?? '(none)'}`,
    { current },
  );
}

/** The verb's body: the answer's own fields, with what the envelope says of the wait. */
function bodyOf(action: Action, resume: AddressedResume, interruptId: string): Record<string, unknown> {
  const {
    action: _action,
    by: _by,
    gateAction,
    waitId: _wait,
    inputVersion: stated,
    ...fields
  } = resume.answer;
  const artifact = resume.artifactSha256 === undefined ? {} : { artifactSha256: resume.artifactSha256 };
  return {
    interruptId,
    ...(ACTION_RULES[action].namesArtifact ? artifact : {}),
    ...(action === 'result' ? { inputVersion: resume.inputVersion ?? stated } : {}),
    ...fields,
    ...(gateAction === undefined ? {} : action === 'decide' ? { action: gateAction } : { gateAction }),
  };
}
