import type { DoorLike } from '../client.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { whileHeld, type Held } from './held-task.js';
import { persistently } from './patience.js';
import type { Claim, Task, TaskEnd } from './task.js';
import { readOutput } from './work-folder.js';
import type { Attempt, Tell } from './worker-event.js';

export interface DoOptions {
  readonly door: DoorLike;
  readonly task: Task;
  readonly signal: AbortSignal;
  readonly timeLimit_ms?: number;
  readonly tell: Tell;
}

/** Does one claimed work and hands its result in, or gives it back with the reason. */
export async function doWork(claim: Claim, options: DoOptions): Promise<Attempt> {
  const { door, task, tell } = options;
  const { workId, kind, round } = claim;
  tell({ event: 'claimed', workId, kind, round });
  return await whileHeld(
    claim,
    { ...options, onProgress: (progress) => tell({ event: 'progress', workId, progress }) },
    (setting) => task(claim, setting),
    async (held, folder) => {
      const { lost } = held;
      // Who made no progress still holds the work and can give it back; any other loss leaves nothing to answer.
      if (lost !== null && !(lost instanceof Refusal && lost.code === 'NO_PROGRESS')) {
        const code = lost instanceof Refusal ? lost.code : 'UNREACHABLE';
        const detail = lost instanceof Refusal ? lost.detail : lost.message;
        tell({ event: 'refused', workId, doing: 'renew', code, detail });
        if (held.end.how === 'failed') return 'failed';
      }
      const evidenceRef = await keepLog(door, held.end.log, held.until_ms);
      const doing = held.end.how === 'finished' ? 'submit' : 'release';
      try {
        if (held.end.how === 'finished') await submit(claim, held.end, held, evidenceRef, options);
        else await release(claim, held.end.reason, held, folder, evidenceRef, options);
        return held.end.how === 'finished' ? 'done' : 'failed';
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        tell({ event: 'refused', workId, doing, code: error.code, detail: error.detail });
        return 'failed';
      }
    },
  );
}

/** The log as an artifact, so that it can be seen what a result rests on. */
export async function keepLog(door: DoorLike, log: string, until_ms: number): Promise<string> {
  const { sha256 } = await persistently(() => door.putArtifact(log, 'text/plain'), until_ms);
  return `artifact:${sha256}`;
}

async function submit(
  claim: Claim,
  end: Extract<TaskEnd, { how: 'finished' }>,
  held: Held<unknown>,
  evidenceRef: string,
  { door, tell }: DoOptions,
): Promise<void> {
  const { workId, interruptId, inputVersion } = claim;
  const { content, mediaType, headSha, items } = end;
  const { sha256 } = await persistently(() => door.putArtifact(content, mediaType), held.until_ms);
  const body = {
    interruptId,
    inputVersion,
    artifact: { sha256, ...(headSha === undefined ? {} : { headSha }) },
    ...(items === undefined ? {} : { items }),
    notes: `log ${evidenceRef}`,
  };
  const options = {
    idempotencyKey: `worker-submit-${workId}-${interruptId}`.slice(-LIMITS.idempotencyKey_chars),
  };
  const { receipt, work } = await persistently(() => door.submit(workId, body, options), held.until_ms);
  const { receiptId } = receipt;
  tell({ event: 'submitted', workId, status: work.status, receiptId, artifactSha256: sha256, evidenceRef });
}

async function release(
  claim: Claim,
  reason: string,
  held: Held<unknown>,
  folder: string,
  evidenceRef: string,
  { door, tell }: DoOptions,
): Promise<void> {
  const { workId, interruptId } = claim;
  const partial = await keepPartial(door, folder, held.until_ms);
  const body = {
    interruptId,
    reason,
    note: `log ${evidenceRef}`,
    ...(partial === null ? {} : { partials: [partial] }),
  };
  const options = {
    idempotencyKey: `worker-release-${workId}-${interruptId}`.slice(-LIMITS.idempotencyKey_chars),
  };
  const { work } = await persistently(() => door.release(workId, body, options), held.until_ms);
  tell({ event: 'released', workId, reason, status: work.status, evidenceRef });
}

/** What a task had written when it failed is kept for the next holder. */
async function keepPartial(door: DoorLike, folder: string, until_ms: number): Promise<string | null> {
  const output = await readOutput(folder);
  if (!output.found || output.content.length === 0) return null;
  return (await persistently(() => door.putArtifact(output.content, 'application/octet-stream'), until_ms))
    .sha256;
}
