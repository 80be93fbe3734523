import type { DoorLike } from '../client.js';
import { Refusal } from '../core/refusals.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { Claim, Progress, TaskSetting } from './task.js';
import { WorkFolder } from './work-folder.js';

export interface HeldOptions {
  readonly door: DoorLike;
  /** Aborted when the worker is to stop. */
  readonly signal: AbortSignal;
  /** How long one task may take; the lease's own limit bounds it in any case. */
  readonly timeLimit_ms?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Held<End> {
  readonly end: End;
  /** Why the work is no longer this holder's, where it was lost while the task ran. */
  readonly lost: Error | null;
  /** When the lease ends, by this machine's clock, in ms since the epoch. */
  readonly until_ms: number;
}

/**
 * Does something with a claimed work: in a fresh folder, its lease renewed, its time limited. `use` sees the folder
 * before it is removed. A task is told by its signal to end, and is waited for.
 */
export async function whileHeld<End, Result>(
  claim: Claim,
  options: HeldOptions,
  run: (setting: TaskSetting) => Promise<End>,
  use: (held: Held<End>, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await WorkFolder.make(claim);
  const ending = new AbortController();
  let lost: Error | null = null;
  const keeper = new LeaseKeeper(options.door, claim, (why) => {
    lost = why;
    ending.abort(new Error(why instanceof Refusal ? `the work was lost: ${why.message}` : why.message));
  });
  const onStop = (): void => ending.abort(new Error('the worker was stopped'));
  if (options.signal.aborted) onStop();
  options.signal.addEventListener('abort', onStop, { once: true });
  const limit_ms = timeLimitOf(claim, options.timeLimit_ms);
  const timer = setTimeout(
    () => ending.abort(new Error(`its time limit of ${Math.round(limit_ms / 1000)} s is over`)),
    limit_ms,
  );
  try {
    keeper.start();
    const end = await run({
      folder: folder.path,
      signal: ending.signal,
      progress(progress) {
        keeper.progress(progress);
        options.onProgress?.(progress);
      },
    });
    await keeper.stop();
    return await use({ end, lost, until_ms: keeper.until_ms }, folder.path);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', onStop);
    await keeper.stop();
    await folder.remove();
  }
}

/** No longer than asked, and never beyond what the lease could be extended to. */
function timeLimitOf(claim: Claim, asked_ms: number | undefined): number {
  const longest_ms = claim.lease
    ? Date.parse(claim.lease.limitAt) - Date.parse(claim.lease.claimedAt)
    : Infinity;
  return Math.min(asked_ms ?? Infinity, longest_ms, LONGEST_TIMER_MS);
}

/** Timers of the platform overflow beyond 31 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
