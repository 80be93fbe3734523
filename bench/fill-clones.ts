import type Database from 'better-sqlite3';
import { v7 } from 'uuid';
import { canonicalJson, contentSha256, derivedWorkId, sha256, threadIdOf } from '../src/core/identity.js';
import { GENESIS_HASH, eventHash } from '../src/ledger/record.js';
import { WORK_TABLES } from '../src/operations/archive-format.js';

type Cell = string | number | null | Uint8Array;
type Row = Record<string, Cell>;

/** When a clone's time runs: what happened at `from_ms` in the life that was lived happens at `to_ms`, `pace` times as slowly. */
export interface Shift {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly pace: number;
}

/** Text with the places where clones differ. */
type Piece = string | { readonly name: string } | { readonly at_ms: number };
interface Column {
  readonly name: string;
  readonly fixed?: Cell;
  readonly pieces?: readonly Piece[];
  readonly bytes?: true;
  readonly numeric?: true;
}
interface Table {
  readonly name: string;
  readonly insert: Database.Statement;
  readonly rows: readonly (readonly Column[])[];
}

/** A number of this length is a time in ms since the epoch; nothing else in these rows is. */
const TIME = /\b1[6-9]\d{11}\b/g;

/**
 * Takes a work that was lived through the doors and writes more of its kind, row by row as the desk would have left
 * them: own IDs, thread, identity and times, hashes of inputs and of the whole history computed anew. Checkpoint IDs
 * are those of the life it comes from, in another thread, so the interrupt IDs that LangGraph makes of them are right.
 */
export class Cloner {
  private readonly tables: readonly Table[];
  private readonly names: ReadonlyMap<string, string>;
  private readonly known: { workId: string; exceptionId: string | null; kind: string; input: string };

  constructor(
    database: Database.Database,
    private readonly tenant: string,
    workId: string,
  ) {
    const own = (table: string): Row[] =>
      database
        .prepare(
          `SELECT * FROM ${table} WHERE tenant = ? AND work_id = ? ${table === 'history' ? 'ORDER BY seq' : ''}`,
        )
        .all(tenant, workId) as Row[];
    const work = own('works')[0];
    if (!work) throw new Error(`no work ${workId}`);
    const rows = new Map<string, Row[]>(WORK_TABLES.map((table) => [table, own(table)]));
    for (const table of ['writes', 'checkpoints'])
      rows.set(
        table,
        database.prepare(`SELECT * FROM ${table} WHERE thread_id = ?`).all(work['thread_id']) as Row[],
      );
    rows.set('works', [work]);
    const kept = rows.get('cases')?.[0];
    this.known = {
      workId,
      kind: String(work['kind']),
      exceptionId: kept ? String(kept['exception_id']) : null,
      input: String(rows.get('input_versions')?.[0]?.['input']),
    };
    const ids = (table: string, column: string): string[] =>
      (rows.get(table) ?? []).map((row) => String(row[column]));
    this.names = new Map<string, string>([
      [workId, 'workId'],
      ...(kept ? ([[String(kept['exception_id']), 'exceptionId']] as const) : []),
      [String(work['thread_id']), 'threadId'],
      [String(work['identity_sha256']), 'identity'],
      [String(work['input_sha256']), 'input'],
      ...['receipts:receipt_id', 'leases:lease_id', 'handoffs:handoff_id'].flatMap((place) => {
        const [table = '', column = ''] = place.split(':');
        return ids(table, column).map((id) => [id, `new:${id}`] as const);
      }),
    ]);
    // The work last: until it is there, its thread belongs to nobody and takes whatever is written.
    const order = ['writes', 'checkpoints', ...WORK_TABLES, 'works'];
    this.tables = order.flatMap((name) => {
      const found = rows.get(name) ?? [];
      if (found.length === 0) return [];
      const columns = Object.keys(found[0] ?? {}).filter((column) => column !== 'position');
      const text = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      return [
        {
          name,
          insert: database.prepare(text),
          rows: found.map((row) => columns.map((column) => this.column(column, row[column] ?? null))),
        },
      ];
    });
  }

  /** Writes one more. @param number tells it from the others of its life */
  write(number: number, shift: Shift): void {
    const { known } = this;
    const exceptionId = known.exceptionId === null ? null : `${known.exceptionId}-${number}`;
    const input =
      exceptionId === null ? known.input : known.input.replaceAll(known.exceptionId ?? '', exceptionId);
    const identity = sha256(canonicalJson([known.kind, known.workId, number]));
    const workId = exceptionId === null ? `${known.workId}-${number}` : derivedWorkId(known.kind, identity);
    const values = new Map<string, string>([
      ['workId', workId],
      ['exceptionId', exceptionId ?? ''],
      ['threadId', threadIdOf(this.tenant, workId)],
      ['identity', exceptionId === null ? contentSha256([known.kind, 'workId', workId]) : identity],
      ['input', sha256(input)],
    ]);
    for (const name of this.names.values()) if (!values.has(name)) values.set(name, v7());
    const at = (time_ms: number): number => Math.round(shift.to_ms + (time_ms - shift.from_ms) * shift.pace);
    let hash = GENESIS_HASH;
    for (const { name, insert, rows } of this.tables)
      for (const row of rows) {
        const cells = row.map((column) => valueOf(column, values, at));
        if (name === 'history') hash = chained(row, cells, hash);
        if (name === 'works') cells[row.findIndex((column) => column.name === 'history_hash')] = hash;
        insert.run(...cells);
      }
  }

  private column(name: string, value: Cell): Column {
    if (typeof value === 'number')
      return value > 1.6e12 && value < 2e12
        ? { name, pieces: [{ at_ms: value }], numeric: true }
        : { name, fixed: value };
    if (value === null) return { name, fixed: null };
    const bytes = typeof value !== 'string';
    const pieces = this.pieces(bytes ? Buffer.from(value).toString('utf8') : value);
    if (pieces.every((piece) => typeof piece === 'string')) return { name, fixed: value };
    return { name, pieces, ...(bytes ? { bytes: true } : {}) };
  }

  private pieces(text: string): Piece[] {
    const escaped = [...this.names.keys()].map((key) => key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const places = new RegExp(`(${[...escaped, TIME.source].join('|')})`, 'g');
    return text
      .split(places)
      .map((piece) => {
        const name = this.names.get(piece);
        if (name !== undefined) return { name };
        return new RegExp(`^${TIME.source}$`).test(piece) ? { at_ms: Number(piece) } : piece;
      })
      .filter((piece) => piece !== '');
  }
}

function valueOf(column: Column, values: ReadonlyMap<string, string>, at: (time_ms: number) => number): Cell {
  if (column.fixed !== undefined) return column.fixed;
  const pieces = column.pieces ?? [];
  if (column.numeric) return at((pieces[0] as { at_ms: number }).at_ms);
  const text = pieces
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : 'name' in piece
          ? (values.get(piece.name) ?? '')
          : String(at(piece.at_ms)),
    )
    .join('');
  return column.bytes ? Buffer.from(text) : text;
}

/** Puts an event behind the one before it. */
function chained(row: readonly Column[], cells: Cell[], prevHash: string): string {
  const index = (name: string): number => row.findIndex((column) => column.name === name);
  const text = (name: string): string => String(cells[index(name)]);
  const hash = eventHash({
    tenant: text('tenant'),
    workId: text('work_id'),
    seq: Number(cells[index('seq')]),
    at: Number(cells[index('at')]),
    type: text('type'),
    by: text('by_principal'),
    data: text('data'),
    changes: text('changes'),
    prevHash,
  });
  cells[index('prev_hash')] = prevHash;
  cells[index('hash')] = hash;
  return hash;
}
