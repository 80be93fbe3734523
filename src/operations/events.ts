import { z } from 'zod';
import { LIMITS } from '../core/limits.js';
import type { Caller } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import type { HistoryRow } from '../ledger/rows.js';
import { all, first, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import type { Once } from './event-feed.js';
import { parseRequest } from './requests.js';
import { eventView, type EventView } from './views.js';

export const eventsRequest = z.strictObject({
  /** The position of the last event already seen; 0 begins with the tenant's first, left out with what comes now. */
  after: z.coerce.number().int().min(0).optional(),
});

export interface EventsOptions {
  readonly signal?: AbortSignal;
  /**
   * Called whenever there was nothing new for a while, and before each batch; throws to end the stream. What it asks
   * through `once`, other streams that ask the same need not ask again.
   */
  readonly onPulse?: (once: Once) => void | Promise<void>;
}

/**
 * The tenant's history as it grows, in order, without a gap: positions are read from the record itself, so what
 * another process writes comes too, and whoever comes back with its last position misses nothing.
 * Rights are read anew for every batch. A scout sees the events of its own works. All who follow share their events:
 * they are to be read, not changed.
 */
export async function* events(
  desk: Desk,
  who: Authenticated,
  query: unknown,
  { signal, onPulse }: EventsOptions = {},
): AsyncGenerator<EventView> {
  const { after } = parseRequest(eventsRequest, query ?? {});
  let position = after ?? (await eventsPosition(desk, who));
  let silentSince_ms = performance.now();
  const wanted = (): boolean => !signal?.aborted;
  const name = `reader ${JSON.stringify(who)}`;
  const { feed } = desk;
  const leave = feed.follow();
  try {
    while (wanted()) {
      const shared = feed.after(who.tenant, position);
      const batch = shared ? { ...shared, full: false } : await eventsAfter(desk, who, position);
      position = batch.position;
      // What was found out for others may be older than what was read alone.
      const once: Once = shared ? feed.once : (_about, ask) => ask();
      const silent = performance.now() - silentSince_ms >= LIMITS.eventsPulse_ms;
      const asked = !shared || silent || batch.rows.length > 0;
      const reader = asked ? await once(name, () => desk.store.read(() => readerOf(who))) : null;
      const rows = batch.rows.filter((row) => reader?.own?.has(row.work_id) ?? true);
      if (rows.length > 0 || silent) {
        await onPulse?.(once);
        silentSince_ms = performance.now();
      }
      for (const row of rows) yield viewOf(row);
      if (!batch.full)
        position = await feed.news(who.tenant, position, silentSince_ms + LIMITS.eventsPulse_ms, signal);
    }
  } finally {
    leave();
  }
}

const views = new WeakMap<HistoryRow, EventView>();

function viewOf(row: HistoryRow): EventView {
  const view = views.get(row) ?? eventView(row);
  views.set(row, view);
  return view;
}

/** The position of the tenant's newest event: where a stream of what comes now begins. */
export async function eventsPosition(desk: Desk, who: Authenticated): Promise<number> {
  const settled = await desk.store.settledPosition();
  return await desk.store.read(function* () {
    yield* following(who);
    const row = yield* first<{ position: number | null }>(
      sql`SELECT max(position) AS position FROM history WHERE tenant = ${who.tenant} AND position <= ${settled}`,
    );
    return row?.position ?? 0;
  });
}

function* following(who: Authenticated): Tx<Caller> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'following events');
  return caller;
}

/** Whose events a caller may see: of its own works only, or null for all. */
function* readerOf(who: Authenticated): Tx<{ own: ReadonlySet<string> | null }> {
  const caller = yield* following(who);
  if (caller.roles.some((role) => role !== 'scout')) return { own: null };
  const works = yield* all<{ work_id: string }>(
    sql`SELECT work_id FROM works WHERE tenant = ${caller.tenant} AND created_by = ${caller.principal}`,
  );
  return { own: new Set(works.map((work) => work.work_id)) };
}

/** Reads the record itself, for whoever is further back than the feed's window. */
async function eventsAfter(desk: Desk, { tenant }: Authenticated, after: number) {
  // Whatever the feed has looked at is there to be read.
  const looked = desk.feed.position;
  const settled = Math.max(await desk.store.settledPosition(), looked);
  const rows = await desk.store.read(() =>
    all<HistoryRow>(sql`
      SELECT * FROM history WHERE tenant = ${tenant} AND position > ${after} AND position <= ${settled}
      ORDER BY position LIMIT ${LIMITS.eventsBatch}`),
  );
  const full = rows.length === LIMITS.eventsBatch;
  const last = rows.at(-1)?.position ?? after;
  return { rows, full, position: full ? last : Math.max(last, looked) };
}
