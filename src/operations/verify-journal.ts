import { sha256 } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { ACCESS_JOURNAL, JOURNAL } from '../ledger/journal.js';
import { GENESIS_HASH, eventHash } from '../ledger/record.js';
import type { HistoryRow } from '../ledger/rows.js';
import { all, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';
import { difference, type Difference } from './difference.js';
import { time } from './views.js';

/** A row that an event of the journal explains, in the event's own words. */
interface Explained {
  readonly name: string;
  readonly seq: number;
  readonly says: Readonly<Record<string, unknown>>;
}

/** Events that explain no row: what they tell of is gone. */
const TELLS_ONLY = /^(?:retention|restore)\./;

/**
 * The tenant's journal against itself and against what it explains: every link recomputed, and every turn of a
 * switch and every dead letter as the journal last told of it. Rows from before there was a journal are not in it.
 */
export async function verifyJournal(
  desk: Desk,
  tenant: string,
): Promise<{ readonly events: number; readonly differences: readonly Difference[] }> {
  const differences: Difference[] = [];
  const told = new Map<string, HistoryRow>();
  const events = await follow(desk, tenant, JOURNAL, differences, (event) => {
    if (!TELLS_ONLY.test(event.type)) told.set(nameOf(event), event);
  });
  // A chain and no more: who is let in here may have come with an archive.
  const ofAccess = await follow(desk, tenant, ACCESS_JOURNAL, differences);
  const rows = await desk.store.read(() => explained(tenant));
  for (const row of rows) {
    const event = told.get(row.name);
    // Written after the events were read.
    if (row.seq > events) continue;
    const says = event ? (JSON.parse(event.data) as Record<string, unknown>) : {};
    const unlike = Object.entries(row.says).filter(([key, value]) => (says[key] ?? null) !== value);
    if (event?.seq === row.seq && unlike.length === 0) continue;
    differences.push(
      difference('JOURNAL', {
        tenant,
        seq: row.seq,
        expected: event ? { seq: event.seq, ...says } : null,
        found: { seq: row.seq, ...row.says },
        detail: `${row.name} is not as the journal tells of it`,
      }),
    );
  }
  const known = new Set(rows.map((row) => row.name));
  for (const [name, event] of told) {
    if (known.has(name)) continue;
    differences.push(
      difference('JOURNAL', {
        tenant,
        seq: event.seq,
        madeBy: event.by_principal,
        at: time(event.at),
        expected: JSON.parse(event.data),
        detail: `the journal tells of ${name}, which is not there`,
      }),
    );
  }
  return { events: events + ofAccess, differences };
}

/** Recomputes every link of one journal, in order. @returns how many events it has */
async function follow(
  desk: Desk,
  tenant: string,
  journal: string,
  differences: Difference[],
  onEvent: (event: HistoryRow) => void = () => undefined,
): Promise<number> {
  let prevHash = GENESIS_HASH;
  let events = 0;
  for (;;) {
    const after = events;
    const page = await desk.store.read(() => eventsAfter(tenant, journal, after));
    for (const event of page) {
      events += 1;
      if (event.seq !== events || event.prev_hash !== prevHash || event.hash !== hashOf(event))
        differences.push(broken(event, events, prevHash));
      prevHash = event.hash;
      onEvent(event);
    }
    if (page.length < LIMITS.verifyBatch) return events;
  }
}

function* eventsAfter(tenant: string, journal: string, seq: number): Tx<HistoryRow[]> {
  return yield* all<HistoryRow>(sql`
    SELECT * FROM history WHERE tenant = ${tenant} AND work_id = ${journal} AND seq > ${seq}
    ORDER BY seq LIMIT ${LIMITS.verifyBatch}`);
}

const hashOf = ({ tenant, work_id, seq, at, type, by_principal, data, changes, prev_hash }: HistoryRow) =>
  eventHash({
    tenant,
    workId: work_id,
    seq,
    at,
    type,
    by: by_principal,
    data,
    changes,
    prevHash: prev_hash,
  });

function broken(event: HistoryRow, seq: number, prevHash: string): Difference {
  return difference('CHAIN_BROKEN', {
    tenant: event.tenant,
    seq: event.seq,
    madeBy: event.by_principal,
    at: time(event.at),
    expected: { seq, prevHash, hash: hashOf(event) },
    found: { seq: event.seq, prevHash: event.prev_hash, hash: event.hash },
    detail: `event ${event.seq} of the journal (${event.type}) was altered, or one is missing, added or moved`,
  });
}

function nameOf({ data }: HistoryRow): string {
  const told = JSON.parse(data) as { switch?: string; number?: number; deadLetterId?: string };
  return told.deadLetterId === undefined
    ? `turn ${told.number} of ${told.switch}`
    : `dead letter ${told.deadLetterId}`;
}

function* explained(tenant: string): Tx<Explained[]> {
  const turns = yield* all<{
    switch: string;
    number: number;
    paused: number;
    reason: string;
    journal_seq: number;
  }>(
    sql`SELECT switch, number, paused, reason, journal_seq FROM switches WHERE tenant = ${tenant} AND journal_seq IS NOT NULL`,
  );
  const letters = yield* all<
    Record<'dead_letter_id' | 'state' | 'reason', string> & {
      attempts: number;
      body: string | null;
      settled_reason: string | null;
      journal_seq: number;
    }
  >(sql`
    SELECT dead_letter_id, state, reason, attempts, body, settled_reason, journal_seq FROM dead_letters
    WHERE tenant = ${tenant} AND journal_seq IS NOT NULL`);
  return [
    ...turns.map((turn) => ({
      name: `turn ${turn.number} of ${turn.switch}`,
      seq: turn.journal_seq,
      says: { paused: turn.paused === 1, reason: turn.reason },
    })),
    ...letters.map((letter) => ({
      name: `dead letter ${letter.dead_letter_id}`,
      seq: letter.journal_seq,
      says: {
        state: letter.state,
        attempts: letter.attempts,
        why: letter.reason,
        settledReason: letter.settled_reason,
        // A body that is gone may have been erased when its time was over.
        ...(letter.body === null ? {} : { bodySha256: sha256(letter.body) }),
      },
    })),
  ];
}
