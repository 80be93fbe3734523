import { setImmediate as giveWay, setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../core/limits.js';
import type { HistoryRow } from '../ledger/rows.js';
import { all, first, sql, type Tx } from '../ledger/sql.js';
import type { Store } from '../ledger/store.js';
import { News } from './news.js';

/** Asks once for all who want to know the same after one look at the record. */
export type Once = <T>(about: string, ask: () => Promise<T>) => Promise<T>;

interface Follower {
  readonly tenant: string;
  /** Up to where it has seen everything, or there was nothing for it. */
  position: number;
  /** When it wants to be woken although nothing came. */
  readonly until_ms: number;
  /** Came while the feed had nothing to compare with: the next look is for it, whatever it brings. */
  readonly anew: boolean;
  readonly wake: () => void;
}

/**
 * The end of the history, read once for all who follow it in this process: a thousand streams cost a writer one look
 * and not a thousand. Whoever is behind the window reads the record itself until it is within.
 */
export class EventFeed {
  private readonly waiting = new Set<Follower>();
  private following = 0;
  private resting: AbortController | undefined;
  /** All that the record has after `from`, up to `to`; null before the first look, and after one that failed. */
  private seen: { from: number; to: number; rows: readonly HistoryRow[] } | null = null;
  private asked = new Map<string, Promise<unknown>>();

  constructor(
    private readonly store: Pick<Store, 'read' | 'settledPosition' | 'onWritten'>,
    private readonly window: number = LIMITS.eventsBatch,
  ) {}

  /** Looks from now on, until the last follower has left. @returns how to leave */
  follow(): () => void {
    this.following += 1;
    if (!this.resting) {
      this.resting = new AbortController();
      this.watch(this.resting.signal).catch(() => undefined);
    }
    return () => {
      this.following -= 1;
      if (this.following > 0) return;
      this.resting?.abort();
      this.resting = undefined;
      this.seen = null;
    };
  }

  /** Up to where the feed has looked. */
  get position(): number {
    return this.seen?.to ?? 0;
  }

  /** What a tenant's history has after a position, as far as the feed has looked; null where its window begins later. */
  after(tenant: string, position: number): { rows: readonly HistoryRow[]; position: number } | null {
    if (!this.seen || position < this.seen.from) return null;
    const { rows, to } = this.seen;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.position ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    const news = rows.slice(low).filter((row) => row.tenant === tenant);
    return { rows: news, position: Math.max(position, to) };
  }

  /** What was found out since the last look; what a look has brought was written before it is asked here. */
  readonly once: Once = <T>(about: string, ask: () => Promise<T>): Promise<T> => {
    const known = this.asked.get(about) as Promise<T> | undefined;
    const answer = known ?? ask();
    if (!known) this.asked.set(about, answer);
    return answer;
  };

  /** Resolves when there is something after a position, it is time, or the signal says stop. @returns up to where all is seen */
  async news(
    tenant: string,
    position: number,
    until_ms: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const already = this.after(tenant, position);
    const there = already === null ? this.seen !== null : already.rows.length > 0;
    if (there || signal?.aborted) return position;
    return await new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(follower);
        signal?.removeEventListener('abort', wake);
        resolve(follower.position);
      };
      const anew = already === null;
      const follower: Follower = { tenant, position: already?.position ?? position, until_ms, anew, wake };
      this.waiting.add(follower);
      signal?.addEventListener('abort', wake);
    });
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const news = new News(this.store, signal);
    const wanted = (): boolean => !signal.aborted;
    try {
      while (wanted()) {
        news.looking();
        const rows = await this.look(signal).catch(() => null);
        if (rows === null && wanted()) this.seen = null;
        const began_ms = performance.now();
        if (wanted()) await this.handOut(rows);
        // Handing out is at most half of what this process does.
        if (wanted()) await sleep(performance.now() - began_ms);
        if (wanted() && rows?.length !== LIMITS.eventsBatch) await news.more();
      }
    } finally {
      news.stop();
    }
  }

  /** @returns what is new */
  private async look(signal: AbortSignal): Promise<readonly HistoryRow[]> {
    const before = this.seen;
    const settled = await this.store.settledPosition();
    if (!before) {
      const to = await this.store.read(() => newest(settled));
      if (!signal.aborted) this.seen = { from: to, to, rows: [] };
      this.asked = new Map();
      return [];
    }
    const rows = await this.store.read(() => between(before.to, settled));
    const kept = [...before.rows, ...rows].slice(-this.window);
    const dropped = before.rows.length + rows.length - kept.length;
    const from = dropped === 0 ? before.from : (kept[0]?.position ?? 0) - 1;
    if (!signal.aborted) this.seen = { from, to: rows.at(-1)?.position ?? before.to, rows: kept };
    this.asked = new Map();
    return rows;
  }

  /** Wakes whom it concerns, some at a time: whoever writes meanwhile gets their turn. After a look that failed, everybody. */
  private async handOut(rows: readonly HistoryRow[] | null): Promise<void> {
    const tenants = new Set(rows?.map((row) => row.tenant));
    const now_ms = performance.now();
    let woken = 0;
    // As they are now: who was woken and waits again meanwhile has seen this look.
    const asleep = [...this.waiting];
    for (const follower of asleep) {
      if (!this.waiting.has(follower)) continue;
      const concerned = rows === null || follower.anew || tenants.has(follower.tenant);
      if (!concerned) follower.position = Math.max(follower.position, this.position);
      if (!concerned && now_ms < follower.until_ms) continue;
      follower.wake();
      woken += 1;
      if (woken % LIMITS.eventsWoken === 0) await giveWay();
    }
  }
}

function* newest(settled: number): Tx<number> {
  const row = yield* first<{ position: number | null }>(
    sql`SELECT max(position) AS position FROM history WHERE position <= ${settled}`,
  );
  return row?.position ?? 0;
}

const between = (after: number, settled: number): Tx<HistoryRow[]> =>
  all<HistoryRow>(sql`
    SELECT * FROM history WHERE position > ${after} AND position <= ${settled}
    ORDER BY position LIMIT ${LIMITS.eventsBatch}`);
