import { Refusal } from '../core/refusals.js';
import { readResume } from '../core/resume.js';
import { readRun, resumeOf } from '../core/langgraph-run.js';
import type { Kind } from '../core/kind.js';
import { isTerminal, type Position } from '../core/work.js';
import { checkFields, checkResume, currentOf } from '../nodes/check-resume.js';
import { standaloneSchema } from '../nodes/standalone-wait.js';

/** A thread of the dev server as it is now. */
export interface ThreadFacts {
  /** A run of it is under way or queued. */
  readonly busy: boolean;
  /** null where the thread has no work yet. */
  readonly position: Position | null;
  readonly interruptId: string | null;
  readonly headId: string | null;
}

/**
 * Whether a run may be created on a thread. Whatever passes is then checked by the graph again, in the run.
 * @throws Refusal with its code; nothing exists of the run then
 */
export function checkRun(thread: ThreadFacts, payload: unknown, kinds: ReadonlyMap<string, Kind>): void {
  const { position, interruptId } = thread;
  if (thread.busy)
    throw new Refusal('ALREADY_DECIDED', 'an answer to this wait is being applied; read the thread again');
  if (position === null) return;
  if (isTerminal(position.status))
    throw new Refusal('ACTION_NOT_ALLOWED', `${position.workId} is ${position.status}: nothing waits here`, {
      current: currentOf(position, null),
    });
  const run = readRun(payload);
  // Nothing waits and nothing is sent: the rest of a run that broke off, which may go on from where it stood.
  if (interruptId === null && run.input === null && run.command === null && run.checkpointIds.length === 0)
    return;
  try {
    const resume = readResume(resumeOf(run, thread.headId));
    checkResume(position, interruptId, resume);
    const { waitId, inputVersion, artifactSha256, answer } = resume;
    checkFields(
      position,
      { waitId, inputVersion, artifactSha256, answer },
      standaloneSchema(position, kinds),
    );
  } catch (error) {
    if (error instanceof Refusal && error.details.current === undefined)
      throw new Refusal(error.code, error.detail, {
        ...error.details,
        current: currentOf(position, interruptId),
      });
    throw error;
  }
}
