import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../core/limits.js';
import type { Store } from '../ledger/store.js';

/**
 * Tells whoever reads the record again and again when there may be something new. Listens from its making to its
 * `stop`, so what is written while its reader looks is not missed.
 */
export class News {
  private fresh = false;
  private wake: (() => void) | undefined;
  private looked_ms = performance.now();
  readonly stop: () => void;

  constructor(
    store: Pick<Store, 'onWritten'>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.stop = store.onWritten(() => {
      this.fresh = true;
      this.wake?.();
    });
  }

  /** The reader looks now: what was written before is no news any more. */
  looking(): void {
    this.fresh = false;
    this.looked_ms = performance.now();
  }

  /**
   * Resolves when something was written since the last look, or it is time to look all the same, or the signal says
   * stop. Never sooner after that look than the pace allows: where much is written, one look serves all of it.
   */
  async more(): Promise<void> {
    if (!this.fresh && !this.signal?.aborted) await this.something();
    const early_ms = LIMITS.eventsPace_ms - (performance.now() - this.looked_ms);
    if (early_ms > 0 && !this.signal?.aborted) await sleep(early_ms);
  }

  private something(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        this.signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, LIMITS.eventsLook_ms);
      this.wake = done;
      this.signal?.addEventListener('abort', done);
    });
  }
}
