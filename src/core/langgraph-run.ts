import { Refusal } from './refusals.js';

/** What a request to LangGraph's API asks of a thread that has a work. */
export interface RunAsked {
  readonly input: unknown;
  readonly command: unknown;
  /** Every checkpoint it wants to start from, wherever it named it. */
  readonly checkpointIds: readonly string[];
}

/** The parts of a run's payload that decide whether it may run. */
export function readRun(payload: unknown): RunAsked {
  const body = objectOf(payload);
  const configurable = objectOf(objectOf(body['config'])['configurable']);
  const named = [
    body['checkpoint_id'],
    objectOf(body['checkpoint'])['checkpoint_id'],
    configurable['checkpoint_id'],
  ];
  return {
    input: body['input'] ?? null,
    command: body['command'] ?? null,
    checkpointIds: named.filter((id): id is string => typeof id === 'string' && id !== ''),
  };
}

/**
 * The value a run resumes with.
 * @throws Refusal ACTION_NOT_ALLOWED for anything but an answer to the current wait: plain input, a jump, a change of
 * state, an older checkpoint
 */
export function resumeOf(run: RunAsked, headId: string | null): unknown {
  const refuse = (detail: string): Refusal => new Refusal('ACTION_NOT_ALLOWED', detail);
  for (const id of run.checkpointIds)
    if (id !== headId) throw refuse(`a work goes on from its newest checkpoint only, not from ${id}`);
  const command = objectOf(run.command);
  for (const field of ['update', 'goto']) {
    const value = command[field];
    const empty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && value !== null && !empty)
      throw refuse(`command.${field}: a work is moved by answers to its waits only`);
  }
  if (command['resume'] === undefined || command['resume'] === null) {
    throw refuse(
      run.input === null
        ? 'this work waits for an answer: send command.resume'
        : 'plain input would begin this work again; it waits for an answer: send command.resume',
    );
  }
  if (run.input !== null) throw refuse('input and command.resume exclude each other');
  return command['resume'];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
