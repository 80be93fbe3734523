import { isPassing, Backoff } from './patience.js';
import type { Attempt, Tell } from './worker-event.js';

export interface SlotOptions {
  /** How many attempts may run at the same time. */
  readonly concurrency: number;
  /** One attempt a slot, instead of going on until the signal aborts. */
  readonly once: boolean;
  readonly signal: AbortSignal;
  readonly tell: Tell;
}

/**
 * Attempts again and again, in several slots side by side. What fails is followed by a growing pause, so that a
 * command that always fails does not eat the queue. A fault in one slot stops the others and is thrown.
 * @returns how the attempts went
 */
export async function inSlots(
  options: SlotOptions,
  attempt: (signal: AbortSignal) => Promise<Attempt>,
): Promise<Record<Attempt, number>> {
  const count: Record<Attempt, number> = { done: 0, failed: 0, nothing: 0 };
  const broken = new AbortController();
  const signal = AbortSignal.any([options.signal, broken.signal]);
  const slot = async (): Promise<void> => {
    const backoff = new Backoff();
    while (!signal.aborted) {
      const outcome = await attempted(options, () => attempt(signal));
      count[outcome] += 1;
      if (options.once) return;
      if (outcome === 'done') backoff.reset();
      else await backoff.wait(signal);
    }
  };
  const slots = Array.from({ length: options.concurrency }, async () => {
    await slot().catch((error: unknown) => {
      broken.abort();
      throw error;
    });
  });
  // All of them end before the first fault is thrown: what a slot holds is given back.
  await Promise.allSettled(slots);
  await Promise.all(slots);
  return count;
}

/** A desk that cannot be reached just now is waited for, except where there is only this one attempt. */
async function attempted({ once, tell }: SlotOptions, attempt: () => Promise<Attempt>): Promise<Attempt> {
  try {
    return await attempt();
  } catch (error) {
    if (once || !isPassing(error)) throw error;
    tell({ event: 'unreachable', detail: error instanceof Error ? error.message : String(error) });
    return 'failed';
  }
}
