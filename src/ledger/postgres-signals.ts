import pg from 'pg';
import { LIMITS } from '../core/limits.js';

const CHANNEL = 'signalbox_written';

/**
 * LISTEN/NOTIFY between processes. The signal is sent after the commit and apart from it: inside, NOTIFY would make
 * all commits of the database queue behind one lock. A process that dies in between has not signalled, which is why
 * listeners also look by themselves.
 */
export class PostgresSignals {
  private readonly listeners = new Set<() => void>();
  private listening: pg.Client | undefined;
  private opening: Promise<void> | undefined;
  private signal: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly pool: pg.Pool,
  ) {}

  /** Tells the others, soon and once for all that is written meanwhile. */
  written(): void {
    this.tell();
    if (this.signal || this.closed) return;
    this.signal = setTimeout(() => {
      this.signal = undefined;
      if (!this.closed) this.pool.query(`NOTIFY ${CHANNEL}`).catch(() => undefined);
    }, LIMITS.postgresSignal_ms);
    this.signal.unref();
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    this.open();
    return () => {
      this.listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.signal);
    clearTimeout(this.retry);
    await this.opening?.catch(() => undefined);
    await this.listening?.end().catch(() => undefined);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  /** Opens the one connection that listens, when somebody first wants to hear, and again when it broke. */
  private open(): void {
    if (this.listening || this.opening || this.retry || this.closed) return;
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'signalbox listener',
      connectionTimeoutMillis: LIMITS.postgresConnect_ms,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    client.on('notification', () => this.tell());
    client.on('end', () => {
      if (this.listening === client) this.listening = undefined;
      this.openLater();
    });
    this.opening = this.connect(client).finally(() => {
      this.opening = undefined;
    });
  }

  private async connect(client: pg.Client): Promise<void> {
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.listening = client;
      // What was written before we listened was not heard.
      this.tell();
    } catch {
      await client.end().catch(() => undefined);
      this.openLater();
    }
  }

  private openLater(): void {
    if (this.retry || this.closed || this.listeners.size === 0) return;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.open();
    }, LIMITS.transactionPauseMax_ms);
    this.retry.unref();
  }
}
