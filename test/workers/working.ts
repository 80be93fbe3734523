import { commandJudge, commandTask } from '../../src/workers/command-task.js';
import { runReviewer } from '../../src/workers/reviewer.js';
import type { Judge, Task } from '../../src/workers/task.js';
import { runWorker } from '../../src/workers/worker.js';
import type { WorkerEvent } from '../../src/workers/worker-event.js';
import { mediaTypeOf } from '../../src/surfaces/cli/read-source.js';
import type { DoorLike } from '../../src/client.js';

export interface Went {
  readonly count: { readonly done: number; readonly failed: number; readonly nothing: number };
  readonly events: readonly WorkerEvent[];
}

export interface How {
  readonly signal?: AbortSignal;
  readonly timeLimit_ms?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** One work by a worker in this process; the command runs for real. */
export function workOnce(door: DoorLike, task: string | Task, how: How = {}): Promise<Went> {
  const doing = typeof task === 'string' ? commandTask({ command: task, mediaTypeOf }) : task;
  return went(how, (shared) => runWorker({ door, task: doing, ...shared }));
}

export function reviewOnce(door: DoorLike, command: string, how: How = {}): Promise<Went> {
  const judge: Judge = commandJudge({ command });
  return went(how, (shared) => runReviewer({ door, judge, ...shared }));
}

async function went(
  { signal = new AbortController().signal, onEvent, ...limit }: How,
  run: (shared: {
    once: true;
    concurrency: 1;
    signal: AbortSignal;
    tell: (event: WorkerEvent) => void;
    timeLimit_ms?: number;
  }) => Promise<Went['count']>,
): Promise<Went> {
  const events: WorkerEvent[] = [];
  const tell = (event: WorkerEvent): void => {
    events.push(event);
    onEvent?.(event);
  };
  return { count: await run({ once: true, concurrency: 1, signal, tell, ...limit }), events };
}

/** A text artifact. */
export async function textOf(door: DoorLike, sha256: string): Promise<string> {
  return Buffer.from((await door.getArtifact(sha256)).bytes).toString('utf8');
}

/** The log that an event or note names as `artifact:<sha256>`. */
export function logOf(door: DoorLike, reference: string | null | undefined): Promise<string> {
  const sha256 = /artifact:([0-9a-f]{64})/.exec(reference ?? '')?.[1];
  if (sha256 === undefined) throw new Error(`no log is named in ${String(reference)}`);
  return textOf(door, sha256);
}
