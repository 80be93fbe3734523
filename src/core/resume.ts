import { Refusal } from './refusals.js';

/** A value sent to resume a thread, with the wait it is addressed to. */
export interface AddressedResume {
  /** The interrupt ID it was keyed by; null where the envelope's own `waitId` has to say. */
  readonly interruptId: string | null;
  readonly waitId: string | null;
  readonly inputVersion: number | null;
  /** undefined where it says nothing; null says that there is no artifact. */
  readonly artifactSha256: string | null | undefined;
  /** The answer, as sent: its `action` and that action's fields. */
  readonly answer: Readonly<Record<string, unknown>>;
}

const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/**
 * Reads LangGraph's `command.resume`: either `{<interruptId>: value}` or the envelope `{waitId, inputVersion,
 * artifactSha256, answer}` that the wait shows. Anything else names no wait: LangGraph would hand it to whatever waits
 * now, so a late answer would be taken for an answer to a later question.
 * @throws Refusal STALE_INTERRUPT for a value that names no wait, or more than one; INVALID without an action
 */
export function readResume(resume: unknown): AddressedResume {
  if (!isObject(resume)) throw namesNoWait();
  const keys = Object.keys(resume);
  const keyed = keys.length > 0 && keys.every((key) => INTERRUPT_ID.test(key));
  if (keyed && keys.length > 1)
    throw new Refusal('STALE_INTERRUPT', 'a work has one wait at a time; this answers several');
  const interruptId = keyed ? (keys[0] ?? null) : null;
  const value = interruptId === null ? resume : resume[interruptId];
  if (!isObject(value)) throw interruptId === null ? namesNoWait() : noAction();
  const waitId = typeof value['waitId'] === 'string' ? value['waitId'] : null;
  if (interruptId === null && waitId === null) throw namesNoWait();
  // Keyed by its interrupt ID, the answer may stand alone: the key says which wait it is for.
  const answer = isObject(value['answer']) ? value['answer'] : value;
  if (typeof answer['action'] !== 'string') throw noAction();
  const { inputVersion, artifactSha256 } = value;
  return {
    interruptId,
    waitId,
    inputVersion: typeof inputVersion === 'number' ? inputVersion : null,
    artifactSha256:
      typeof artifactSha256 === 'string' || artifactSha256 === null ? artifactSha256 : undefined,
    answer,
  };
}

function namesNoWait(): Refusal {
  return new Refusal(
    'STALE_INTERRUPT',
    'this resume names no wait: send {"<interruptId>": {"answer": {…}}} or {"waitId", "inputVersion", "artifactSha256", "answer"}',
  );
}

function noAction(): Refusal {
  return new Refusal('INVALID', '/answer/action: is required', {
    errors: [{ path: '/answer/action', message: 'is required' }],
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
