import { targetOf, type Origin, type OriginTarget } from '../../core/case.js';
import { keptText } from '../../core/kept-text.js';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import { DESK_PRINCIPAL } from '../../core/work.js';
import { findCase, type OutboxRow } from '../../ledger/case-rows.js';
import { lockWork } from '../../ledger/reads.js';
import { record } from '../../ledger/record.js';
import { all, first, joined, run, sql, type Statement, type Tx } from '../../ledger/sql.js';
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
  /** It was not tried: this process cannot, for now, for a reason that lies with the desk itself. */
  | { readonly outcome: 'not_ready'; readonly error: string }
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
  /** When it was told, where only its case is left to complete; null where it is to be told. */
  readonly toldAt_ms: number | null;
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
    // Told, and ended by a person before its case was completed: nothing is left to do.
    yield* run(sql`
      UPDATE outbox SET state = 'delivered', settled_at = ${now_ms}, last_error = NULL
      WHERE state IN ('pending', 'unknown') AND next_at <= ${now_ms}
        AND EXISTS (SELECT 1 FROM works w JOIN cases c ON c.tenant = w.tenant AND c.work_id = w.work_id
          WHERE w.tenant = outbox.tenant AND w.work_id = outbox.work_id AND w.status IN ('DONE', 'CANCELLED')
            AND c.decision_id = outbox.delivery_id AND c.reflected_at IS NOT NULL)`);
    // Ended in another way, by a person: nothing is left to tell.
    yield* run(sql`
      UPDATE outbox SET state = 'dead', last_error = 'its case was ended by hand' WHERE state IN ('pending', 'unknown') AND next_at <= ${now_ms}
        AND EXISTS (SELECT 1 FROM works w WHERE w.tenant = outbox.tenant AND w.work_id = outbox.work_id AND w.status IN ('DONE', 'CANCELLED'))`);
    const busy = new Map(underWay);
    const full = [...busy].filter(([, count]) => count >= LIMITS.deliveriesPerOrigin).map(([key]) => key);
    let free = LIMITS.deliveries - [...busy.values()].reduce((sum, count) => sum + count, 0);
    const due = yield* all<OutboxRow & { case_origin: string; told_at: number | null; turn: number }>(sql`
      WITH due AS (
        SELECT o.*, c.origin AS case_origin, c.reflected_at AS told_at,
          row_number() OVER (PARTITION BY o.tenant, c.origin_system ORDER BY o.next_at, o.delivery_id) AS turn
        FROM outbox o
        JOIN works w ON w.tenant = o.tenant AND w.work_id = o.work_id
        JOIN cases c ON c.tenant = o.tenant AND c.work_id = o.work_id
        WHERE o.state IN ('pending', 'unknown') AND o.next_at <= ${now_ms} AND (o.taken_until IS NULL OR o.taken_until <= ${now_ms})
          AND w.status = 'MERGE_READY' AND w.pending_receipt IS NULL AND c.decision_id = o.delivery_id
          AND (c.reflected_at IS NULL OR ${NO_EFFECT_OPEN})
          ${notOf(full)})
      SELECT * FROM due WHERE turn <= ${LIMITS.deliveriesPerOrigin} ORDER BY turn, next_at LIMIT ${LIMITS.deliveries}`);
    const taken: Delivery[] = [];
    for (const { case_origin, told_at, turn: _turn, ...row } of due) {
      const origin = JSON.parse(case_origin) as Origin;
      const key = originKey(row.tenant, origin.system);
      const own = busy.get(key) ?? 0;
      if (free === 0 || own >= LIMITS.deliveriesPerOrigin) continue;
      const changed = yield* run(sql`
        UPDATE outbox SET attempts = attempts + ${told_at === null ? 1 : 0}, taken_by = ${desk.instance}, taken_until = ${now_ms + LIMITS.deliveryLease_ms}
        WHERE delivery_id = ${row.delivery_id} AND attempts = ${row.attempts} AND state IN ('pending', 'unknown')
          AND (taken_until IS NULL OR taken_until <= ${now_ms})`);
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
        toldAt_ms: told_at,
      });
    }
    return taken;
  });
}

/** Nothing that was announced outside is open: the guard would refuse to complete the case before. */
const NO_EFFECT_OPEN = sql`NOT EXISTS (
  SELECT 1 FROM effects e WHERE e.tenant = w.tenant AND e.work_id = w.work_id AND e.outcome IN ('intended', 'unknown'))`;

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

/**
 * Writes down what came of it. A taken decision completes its case in the same transaction; where the case cannot be
 * completed now, that its origin has it is kept, and completing is tried again without telling it a second time.
 */
export async function settle(desk: Desk, delivery: Delivery, told: Told): Promise<{ dead: boolean }> {
  const { row } = delivery;
  if (told.outcome === 'taken') {
    await completeCase(desk, delivery, told);
    return { dead: false };
  }
  return await desk.store.write(function* () {
    const now_ms = desk.now_ms();
    if (told.outcome === 'not_ready') {
      // Nothing was said, so nothing of the origin's patience is used up.
      yield* run(sql`
        UPDATE outbox SET attempts = ${row.attempts}, next_at = ${now_ms + LIMITS.deliveryUnready_ms},
          taken_by = NULL, taken_until = NULL, last_error = ${keptText(told.error, LIMITS.reference_chars)}
        WHERE delivery_id = ${row.delivery_id} AND state IN ('pending', 'unknown')`);
      return { dead: false };
    }
    const failures = row.failures + 1;
    const gone = told.outcome === 'gone' || failures >= LIMITS.deliveryAttempts;
    const state = gone ? 'dead' : told.outcome === 'unknown' ? 'unknown' : row.state;
    const changed = yield* run(sql`
      UPDATE outbox SET state = ${state}, failures = ${failures}, next_at = ${now_ms + pause_ms(failures)},
        taken_by = NULL, taken_until = NULL, last_error = ${keptText(told.error, LIMITS.reference_chars)}
      WHERE delivery_id = ${row.delivery_id} AND state IN ('pending', 'unknown')`);
    const dead = changed === 1 && gone;
    if (dead) {
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
    return { dead };
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

type Taken = Extract<Told, { outcome: 'taken' }>;

async function completeCase(desk: Desk, { row, toldAt_ms }: Delivery, told: Taken): Promise<void> {
  const self = await asDesk(desk, row.tenant);
  const wait = await desk.store.read(() => waitOf(row));
  let refused: string | null = null;
  if (wait) {
    try {
      await answerWait(
        desk,
        self,
        row.work_id,
        {
          action: 'complete',
          // Of the decision that was told: one made since waits under another ID.
          interruptId: wait.interrupt_id ?? '',
          artifactSha256: wait.artifact_sha256 ?? '',
          outcome: 'merged',
          externalId: told.externalId,
          evidenceRef: told.evidence,
        },
        {},
        {
          *onAccept() {
            yield* markReflected(row, toldAt_ms ?? desk.now_ms());
            yield* markDelivered(desk, row);
            return {};
          },
        },
      );
      return;
    } catch (error) {
      // Somebody moved the case meanwhile; that the origin has the decision is true all the same.
      if (!(error instanceof Refusal)) throw error;
      refused = error.message;
    }
  }
  await desk.store.write(() => markTold(desk, row, told, refused));
}

/** The wait that this decision, and no other, would complete now. */
function* waitOf(
  row: OutboxRow,
): Tx<{ interrupt_id: string | null; artifact_sha256: string | null } | undefined> {
  return yield* first(sql`
    SELECT w.interrupt_id, w.artifact_sha256 FROM works w
    JOIN cases c ON c.tenant = w.tenant AND c.work_id = w.work_id
    WHERE w.tenant = ${row.tenant} AND w.work_id = ${row.work_id} AND w.status = 'MERGE_READY'
      AND w.pending_receipt IS NULL AND c.decision_id = ${row.delivery_id} AND ${NO_EFFECT_OPEN}`);
}

/** The origin has this decision; whether its case goes by it is another matter. */
function* markTold(desk: Desk, row: OutboxRow, told: Taken, refused: string | null): Tx<void> {
  const now_ms = desk.now_ms();
  const work = yield* lockWork(desk.store.dialect, row.tenant, row.work_id);
  const kept = yield* findCase(row.tenant, row.work_id);
  if (!work || !kept) throw new Error('what is delivered has its case');
  const stands = kept.decision_id === row.delivery_id;
  if (!stands || kept.reflected_at === null) {
    const { externalId, evidence } = told;
    yield* record(work, {
      type: 'case.told',
      by: DESK_PRINCIPAL,
      at_ms: now_ms,
      // Of a decision that another has replaced, its origin should hear from somebody.
      data: { deliveryId: row.delivery_id, externalId, evidence, replaced: !stands },
    });
  }
  yield* markReflected(row, now_ms);
  const ended = work.status === 'DONE' || work.status === 'CANCELLED';
  if (!stands || ended) return yield* markDelivered(desk, row);
  const next_at = now_ms + (refused === null ? 0 : LIMITS.completionPause_ms);
  const why =
    refused ??
    (work.status === 'MERGE_READY' ? 'the outcome of an effect is open' : `it stands at ${work.status}`);
  yield* run(sql`
    UPDATE outbox SET state = 'pending', next_at = ${next_at}, taken_by = NULL, taken_until = NULL,
      last_error = ${keptText(`told; its case is still to be completed: ${why}`, LIMITS.reference_chars)}
    WHERE delivery_id = ${row.delivery_id} AND state IN ('pending', 'unknown')`);
}

function* markDelivered(desk: Desk, row: OutboxRow): Tx<void> {
  yield* run(sql`
    UPDATE outbox SET state = 'delivered', settled_at = ${desk.now_ms()}, taken_by = NULL, taken_until = NULL, last_error = NULL
    WHERE delivery_id = ${row.delivery_id} AND state <> 'delivered'`);
}

function* markReflected(row: OutboxRow, at_ms: number): Tx<void> {
  yield* run(sql`
    UPDATE cases SET reflected_at = coalesce(reflected_at, ${at_ms})
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND decision_id = ${row.delivery_id}`);
}
