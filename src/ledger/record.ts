import { canonicalJson, sha256 } from '../core/identity.js';
import { assignments, insert, run, send, sql, type SqlValue, type Tx } from './sql.js';
import type { WorkRow } from './rows.js';

/** What the first event of a work chains to. */
export const GENESIS_HASH = '0'.repeat(64);

/** Columns a change may touch: all but the key, and but what this file alone keeps. */
export type WorkChanges = Partial<
  Omit<WorkRow, 'tenant' | 'work_id' | 'thread_id' | 'history_seq' | 'history_hash' | 'updated_at'>
>;

/**
 * Columns about the applying itself, not about the work: who is at it, until when, and how often it failed. They may
 * change without an event, so a replay of history leaves them out.
 */
export const OPERATIONAL_COLUMNS = [
  'applier',
  'applier_until',
  'apply_attempts',
  'apply_error',
] as const satisfies readonly (keyof WorkRow)[];

export interface NewEvent {
  readonly type: string;
  readonly by: string;
  readonly at_ms: number;
  /** What happened, for people and programs that read history. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Another transaction changed the work between our read and our write. Only possible where a driver lets it. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict';
  /** @param settled running the transaction again would find the same: what it came to do is done */
  constructor(
    message: string,
    readonly settled = false,
  ) {
    super(message);
  }
}

/**
 * THE write: every change of a work's current row goes through here, together with the event that explains it.
 * The event carries the very columns it changed, so replaying the events gives the row (I10).
 * @returns the row as it is afterwards
 * @throws WriteConflict when the row is not the one that was read
 */
export function* record(row: WorkRow, event: NewEvent, changes: WorkChanges = {}): Tx<WorkRow> {
  return yield* write(row, event, differing(row, changes));
}

function* write(row: WorkRow, event: NewEvent, changes: WorkChanges): Tx<WorkRow> {
  const entry = entryAfter(row, event, canonicalJson(explained(changes)));
  const kept = { updated_at: event.at_ms, history_seq: entry.seq, history_hash: entry.hash };
  const columns: Record<string, SqlValue> = { ...(changes as Record<string, SqlValue>), ...kept };
  const touched = yield* run(sql`
    UPDATE works SET ${assignments(columns)}
    WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND history_seq = ${row.history_seq}`);
  if (touched !== 1) throw new WriteConflict(`work ${row.work_id} changed while it was written`);
  yield* send(insert('history', entry));
  return { ...row, ...changes, ...kept };
}

/** The next link of the work's chain. */
function entryAfter(row: Chained, event: NewEvent, changes: string) {
  const entry = {
    tenant: row.tenant,
    work_id: row.work_id,
    seq: row.history_seq + 1,
    at: event.at_ms,
    type: event.type,
    by_principal: event.by,
    data: canonicalJson(event.data ?? {}),
    changes,
    prev_hash: row.history_hash,
  };
  const hash = eventHash({
    tenant: entry.tenant,
    workId: entry.work_id,
    seq: entry.seq,
    at: entry.at,
    type: entry.type,
    by: entry.by_principal,
    data: entry.data,
    changes: entry.changes,
    prevHash: entry.prev_hash,
  });
  return { ...entry, hash };
}

type Chained = Pick<WorkRow, 'tenant' | 'work_id' | 'history_seq' | 'history_hash'>;

/** What an event tells of the columns it changed: not those about the applying itself. */
function explained(changes: WorkChanges): WorkChanges {
  const told = { ...changes };
  for (const column of OPERATIONAL_COLUMNS) delete told[column];
  return told;
}

/** What really changes: history keeps no column that stayed as it was. */
function differing(row: WorkRow, asked: WorkChanges): WorkChanges {
  const now = row as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(asked).filter(([column, value]) => now[column] !== value));
}

/**
 * Writes a work's first row together with its first event, which carries the whole row; what it does not name is null.
 * Fills in the row's place in its history.
 */
export function* recordNew(row: WorkRow, event: NewEvent): Tx<void> {
  const start = {
    tenant: row.tenant,
    work_id: row.work_id,
    history_seq: 0,
    history_hash: GENESIS_HASH,
  };
  const entry = entryAfter(start, event, firstColumns(row));
  row.history_seq = entry.seq;
  row.history_hash = entry.hash;
  yield* send(insert('works', row as unknown as Record<string, SqlValue>));
  yield* send(insert('history', entry));
}

/** Columns that the first event leaves out: its own, and what the row is found by. */
const NOT_TOLD: ReadonlySet<string> = new Set([
  'tenant',
  'work_id',
  'thread_id',
  'updated_at',
  'history_seq',
  'history_hash',
  ...OPERATIONAL_COLUMNS,
]);

/** As `canonicalJson` of the columns that are not null; a row has many, and its values are plain. */
function firstColumns(row: WorkRow): string {
  const values = row as unknown as Readonly<Record<string, SqlValue>>;
  firstOrder ??= Object.keys(row)
    .filter((column) => !NOT_TOLD.has(column))
    .toSorted();
  const told = firstOrder.filter((column) => values[column] !== null);
  return `{${told.map((column) => `${JSON.stringify(column)}:${JSON.stringify(values[column])}`).join(',')}}`;
}

let firstOrder: readonly string[] | undefined;

interface Hashed {
  readonly tenant: string;
  readonly workId: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly by: string;
  readonly data: string;
  readonly changes: string;
  readonly prevHash: string;
}

/** The hash of an event over all its fields and the hash before it, so that none can be altered, dropped or reordered unseen. */
export function eventHash(event: Hashed): string {
  return sha256(
    canonicalJson([
      event.prevHash,
      event.tenant,
      event.workId,
      event.seq,
      event.at,
      event.type,
      event.by,
      event.data,
      event.changes,
    ]),
  );
}
