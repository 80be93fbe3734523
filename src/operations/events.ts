import { z } from 'zod';
import { LIMITS } from '../core/limits.js';
import type { Caller } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import type { HistoryRow } from '../ledger/rows.js';
import { all, first, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { News } from './news.js';
import { parseRequest } from './requests.js';
import { eventView, type EventView } from './views.js';

export const eventsRequest = z.strictObject({
  /** The position of the last event already seen; 0 begins with the tenant's first, left out with what comes now. */
  after: z.coerce.number().int().min(0).optional(),
});

export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Called whenever there was nothing new for a while, and before each batch; throws to end the stream. */
  readonly onPulse?: () => void | Promise<void>;
}

/**
 * The tenant's history as it grows, in order, without a gap: positions are read from the record itself, so what
 * another process writes comes too, and whoever comes back with its last position misses nothing.
 * Rights are read anew for every batch. A scout sees the events of its own works.
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
  const news = new News(desk.store, signal);
  try {
    while (wanted()) {
      news.looking();
      const settled = await desk.store.settledPosition();
      const batch = await desk.store.read(() => eventsAfter(who, position, settled));
      position = batch.position;
      if (batch.rows.length > 0 || performance.now() - silentSince_ms >= LIMITS.eventsPulse_ms) {
        await onPulse?.();
        silentSince_ms = performance.now();
      }
      for (const row of batch.rows) yield eventView(row);
      if (!batch.full) await news.more();
    }
  } finally {
    news.stop();
  }
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

function* eventsAfter(who: Authenticated, after: number, settled: number) {
  const caller = yield* following(who);
  const rows = yield* all<HistoryRow>(sql`
    SELECT * FROM history WHERE tenant = ${caller.tenant} AND position > ${after} AND position <= ${settled}
    ORDER BY position LIMIT ${LIMITS.eventsBatch}`);
  const ownOnly = caller.roles.every((role) => role === 'scout');
  const own = ownOnly
    ? new Set(
        (yield* all<{ work_id: string }>(
          sql`SELECT work_id FROM works WHERE tenant = ${caller.tenant} AND created_by = ${caller.principal}`,
        )).map((work) => work.work_id),
      )
    : null;
  return {
    position: rows.at(-1)?.position ?? after,
    full: rows.length === LIMITS.eventsBatch,
    rows: own ? rows.filter((row) => own.has(row.work_id)) : rows,
  };
}
