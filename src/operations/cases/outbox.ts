import { targetOf, type Origin, type OriginTarget } from '../../core/case.js';
import { keptText } from '../../core/kept-text.js';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import type { OutboxRow } from '../../ledger/case-rows.js';
import { all, joined, run, sql, type Statement, type Tx } from '../../ledger/sql.js';
import { answerWait } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { letterOf } from './keep-letter.js';
import { asDesk } from './desk-principal.js';

/** What came of one try to tell an origin its decision. */
export type Told =
  /** It has it; `externalId` is what it calls that, `evidence` how we know. */
  | { readonly outcome: 'taken'; readonly externalId: string; readonly evidence: string }
  /** It has it not, and may be asked again. */
  | { readonly outcome: 'failed'; readonly error: string }
  /** It may have it: the connection broke after we spoke. */
  | { readonly outcome: 'unknown'; readonly error: string }
  /** It will never take it. */
  | { readonly outcome: 'gone'; readonly error: string };

/** A decision to tell, taken up by this process for a while. */
export interface Delivery {
  readonly row: OutboxRow;
  readonly target: OriginTarget | null;
  readonly origin: Origin;
  readonly payload: Readonly<Record<string, unknown>>;
  /** An earlier try may have got through, so the other side is asked first where it can be asked. */
  readonly mayHaveIt: boolean;
}

/** What a delivery is one of: no origin may have more than its part under way. */
export const originKey = (tenant: string, system: string): string => JSON.stringify([tenant, system]);

/**
 * Takes up what is due: only decisions that stand (their case waits at MERGE_READY), each by one process at a time.
 * The attempt is counted before it is made, so a crash in the middle leaves it known as one that may have got through.
 * @param underWay deliveries that this process has under way, by `originKey`; every origin gets its turn before
 * another gets a second
 */
export function takeDue(desk: Desk, underWay: ReadonlyMap<string, number> = new Map()): Promise<Delivery[]> {
  return desk.store.write(function* () {
    const now_ms = desk.now_ms();
    // Told or ended in another way, by a person: nothing is left to tell.
    yield* run(sql`
      UPDATE outbox SET state = 'dead', last_error = 'its case was ended by hand' WHERE state IN ('pending', 'unknown') AND next_at <= ${now_ms}
        AND EXISTS (SELECT 1 FROM works w WHERE w.tenant = outbox.tenant AND w.work_id = outbox.work_id AND w.status IN ('DONE', 'CANCELLED'))`);
    const busy = new Map(underWay);
    const full = [...busy].filter(([, count]) => count >= LIMITS.deliveriesPerOrigin).map(([key]) => key);
    let free = LIMITS.deliveries - [...busy.values()].reduce((sum, count) => sum + count, 0);
    const due = yield* all<OutboxRow & { case_origin: string; turn: number }>(sql`
      WITH due AS (
        SELECT o.*, c.origin AS case_origin, row_number() OVER (PARTITION BY o.tenant, c.origin_system ORDER BY o.next_at, o.delivery_id) AS turn
        FROM outbox o
        JOIN works w ON w.tenant = o.tenant AND w.work_id = o.work_id
        JOIN cases c ON c.tenant = o.tenant AND c.work_id = o.work_id
        WHERE o.state IN ('pending', 'unknown') AND o.next_at <= ${now_ms} AND (o.taken_until IS NULL OR o.taken_until <= ${now_ms})
          AND w.status = 'MERGE_READY' AND w.pending_receipt IS NULL AND c.decision_id = o.delivery_id
          ${notOf(full)})
      SELECT * FROM due WHERE turn <= ${LIMITS.deliveriesPerOrigin} ORDER BY turn, next_at LIMIT ${LIMITS.deliveries}`);
    const taken: Delivery[] = [];
    for (const { case_origin, turn: _turn, ...row } of due) {
      const origin = JSON.parse(case_origin) as Origin;
      const key = originKey(row.tenant, origin.system);
      const own = busy.get(key) ?? 0;
      if (free === 0 || own >= LIMITS.deliveriesPerOrigin) continue;
      const changed = yield* run(sql`
        UPDATE outbox SET attempts = attempts + 1, taken_by = ${desk.instance}, taken_until = ${now_ms + LIMITS.deliveryLease_ms}
        WHERE delivery_id = ${row.delivery_id} AND attempts = ${row.attempts} AND state IN ('pending', 'unknown')`);
      if (changed !== 1) continue;
      busy.set(key, own + 1);
      free -= 1;
      taken.push({
        row,
        origin,
        // Read anew each time: an allowance taken back counts at once.
        target: targetOf(desk.cases, origin),
        payload: JSON.parse(row.payload) as Record<string, unknown>,
        // A try that ended in a clear refusal is counted as a failure; one that is not was cut off.
        mayHaveIt: row.state === 'unknown' || row.attempts > row.failures,
      });
    }
    return taken;
  });
}

/** Not those whose origin has all that it may have under way. */
function notOf(full: readonly string[]): Statement {
  return joined(
    full.map((key) => {
      const [tenant, system] = JSON.parse(key) as [string, string];
      return sql` AND NOT (o.tenant = ${tenant} AND c.origin_system = ${system})`;
    }),
    '',
  );
}

/** Writes down what came of it. A taken decision completes its case in the same transaction. */
export async function settle(desk: Desk, { row }: Delivery, told: Told): Promise<void> {
  if (told.outcome === 'taken') return await completeCase(desk, row, told);
  await desk.store.write(function* () {
    const now_ms = desk.now_ms();
    const failures = row.failures + 1;
    const gone = told.outcome === 'gone' || failures >= LIMITS.deliveryAttempts;
    const state = gone ? 'dead' : told.outcome === 'unknown' ? 'unknown' : row.state;
    const changed = yield* run(sql`
      UPDATE outbox SET state = ${state}, failures = ${failures}, next_at = ${now_ms + pause_ms(failures)},
        taken_by = NULL, taken_until = NULL, last_error = ${keptText(told.error, LIMITS.reference_chars)}
      WHERE delivery_id = ${row.delivery_id} AND state IN ('pending', 'unknown')`);
    if (changed === 1 && gone) {
      yield* letterOf(desk, {
        tenant: row.tenant,
        source: 'outbox',
        sourceId: row.delivery_id,
        reason: told.error,
        attempts: row.attempts + 1,
        body: null,
        workId: row.work_id,
      });
    }
  });
}

/** Doubled with every failure up to a limit; half of it by chance, so that many do not come back at once. */
function pause_ms(failures: number): number {
  const full = Math.min(
    LIMITS.deliveryPauseMax_ms,
    LIMITS.deliveryPause_ms * 2 ** Math.min(failures - 1, 20),
  );
  return Math.round(full * (0.5 + Math.random() / 2));
}

async function completeCase(
  desk: Desk,
  row: OutboxRow,
  told: Extract<Told, { outcome: 'taken' }>,
): Promise<void> {
  const self = await asDesk(desk, row.tenant);
  const work = await desk.store.read(() => whereItStands(row));
  if (work) {
    try {
      await answerWait(
        desk,
        self,
        row.work_id,
        {
          action: 'complete',
          interruptId: work.interrupt_id ?? '',
          artifactSha256: work.artifact_sha256 ?? '',
          outcome: 'merged',
          externalId: told.externalId,
          evidenceRef: told.evidence,
        },
        {},
        {
          *onAccept() {
            yield* markDelivered(desk, row);
            return {};
          },
        },
      );
      return;
    } catch (error) {
      // Somebody completed or moved the case meanwhile; that the origin has the decision is true all the same.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  await desk.store.write(() => markDelivered(desk, row));
}

function* whereItStands(
  row: OutboxRow,
): Tx<{ interrupt_id: string | null; artifact_sha256: string | null } | undefined> {
  const rows = yield* all<{ interrupt_id: string | null; artifact_sha256: string | null }>(sql`
    SELECT interrupt_id, artifact_sha256 FROM works
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND status = 'MERGE_READY'`);
  return rows[0];
}

function* markDelivered(desk: Desk, row: OutboxRow): Tx<void> {
  const now_ms = desk.now_ms();
  yield* run(sql`
    UPDATE outbox SET state = 'delivered', settled_at = ${now_ms}, taken_by = NULL, taken_until = NULL, last_error = NULL
    WHERE delivery_id = ${row.delivery_id}`);
  yield* run(sql`
    UPDATE cases SET reflected_at = ${now_ms}
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND decision_id = ${row.delivery_id}`);
}
