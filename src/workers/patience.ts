import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';

/** Waits, no longer than until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Pauses that double while nothing gets better, and begin anew when it does. */
export class Backoff {
  private next_ms: number = LIMITS.workerPause_ms;

  async wait(signal: AbortSignal): Promise<void> {
    const now_ms = this.next_ms;
    this.next_ms = Math.min(now_ms * 2, LIMITS.workerPauseMax_ms);
    await pause(now_ms, signal);
  }

  reset(): void {
    this.next_ms = LIMITS.workerPause_ms;
  }
}

/** A refusal of this moment, or an answer that did not arrive: the same request may go through a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === 'BUSY' || error.code === 'RATE_LIMITED';
  return error instanceof Error && (error.name === 'Unreachable' || error.name === 'ServerFault');
}

/**
 * Makes a call until it is answered. The call must be recognised when it comes again (an idempotency key).
 * @param until_ms when to give up, in ms since the epoch
 * @throws the refusal, or the last error
 */
export async function persistently<T>(call: () => Promise<T>, until_ms: number): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || Date.now() > until_ms) throw error;
      await backoff.wait(NEVER);
    }
  }
}

const NEVER = new AbortController().signal;
