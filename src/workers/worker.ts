import { randomUUID } from 'node:crypto';
import { doWork, type DoOptions } from './do-work.js';
import { inSlots, type SlotOptions } from './slots.js';
import type { Attempt } from './worker-event.js';

export interface WorkerOptions extends DoOptions, SlotOptions {
  /** Only works of these kinds. */
  readonly kinds?: readonly string[];
}

/**
 * Claims the next work, does it, hands it in, again and again until the signal aborts; what runs then is stopped and
 * given back. A worker that is killed leaves a lease that runs out, never a lost work.
 * @throws Refusal where it may not work at all
 */
export async function runWorker(options: WorkerOptions): Promise<Record<Attempt, number>> {
  const body = options.kinds === undefined ? {} : { kinds: [...options.kinds] };
  return await inSlots(options, async (signal) => {
    const idempotencyKey = randomUUID();
    const claimNext = () => options.door.claimNext(body, { idempotencyKey });
    // Asked again under the same key once: an answer that was lost on the way must not leave a work claimed for nobody.
    const claimed = await claimNext().catch((error: unknown) => {
      if (error instanceof Error && error.name === 'Unreachable') return claimNext();
      throw error;
    });
    return claimed === null ? 'nothing' : await doWork(claimed.claim, { ...options, signal });
  });
}
