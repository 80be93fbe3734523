import { LIMITS } from '../core/limits.js';

/**
 * Hears of what is written to one SQLite file. What this process writes is told at once; what another one writes is
 * seen by `PRAGMA data_version`, a number that changes with every commit of another connection and costs a look into
 * shared memory, no query. The timer runs only while somebody listens.
 */
export class SqliteSignals {
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private seen = 0;
  private closed = false;

  /** @param versionNow reads the number */
  constructor(private readonly versionNow: () => number) {}

  /** This process has written. */
  written(): void {
    for (const listener of this.listeners) listener();
  }

  /** @returns what ends it */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    if (!this.timer && !this.closed) {
      this.seen = this.versionNow();
      this.timer = setInterval(() => this.look(), LIMITS.sqliteSignal_ms);
      this.timer.unref();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.rest();
    };
  }

  close(): void {
    this.closed = true;
    this.rest();
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    let version: number;
    try {
      version = this.versionNow();
    } catch {
      return; // A look that fails says nothing; listeners also look by themselves.
    }
    if (version === this.seen) return;
    this.seen = version;
    this.written();
  }
}
