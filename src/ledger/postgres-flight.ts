import type pg from 'pg';
import type { Result, SqlValue } from './sql.js';

/** A statement as the server gets it: planned once for a connection where it has a name. */
export interface Sendable {
  readonly text: string;
  readonly name: string | undefined;
  readonly values: readonly SqlValue[];
}

/** What a statement came to; `command` is the server's own word for what it did. */
export interface Outcome extends Result {
  readonly command: string;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}
type Parser = (text: string) => unknown;
interface Shape {
  /** A row before its values are filled in, so that all rows are plain structs. */
  readonly blank: Readonly<Record<string, unknown>>;
  readonly columns: readonly { readonly name: string; readonly parse: Parser }[];
}

/** The part of a connection that node-postgres lets a query of one's own use, as pg-cursor does. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(statement: { name: string; text: string }): void;
  bind(values: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(portal: { portal: string; rows: number }): void;
  close(what: { type: 'S'; name: string }): void;
  sync(): void;
  sendCopyFail(why: string): void;
}

/** What a connection has planned, by name; null where a plan may or may not be there after a failure. */
const planned = new WeakMap<Wire, Map<string, Shape | null>>();
const NO_ROWS: Shape = { blank: {}, columns: [] };

/**
 * Several statements in one round trip: all are sent at once, the server runs them in order, and after one that fails
 * it runs none of the others. (docs/decisions/0100)
 */
class Flight {
  /** node-postgres looks for a callback of a query of its own. */
  readonly callback = (): void => undefined;
  private readonly outcomes: Outcome[] = [];
  private rows: unknown[] = [];
  private shape: Shape = NO_ROWS;
  private plans = new Map<string, Shape | null>();

  constructor(
    private readonly statements: readonly Sendable[],
    private readonly types: pg.TypeOverrides,
    private readonly done: (outcomes: readonly Outcome[]) => void,
    private readonly failed: (error: Error) => void,
  ) {}

  submit(wire: Wire): void {
    this.plans = planned.get(wire) ?? new Map<string, Shape | null>();
    planned.set(wire, this.plans);
    const planning = new Set<string>();
    wire.stream.cork();
    try {
      for (const { text, name = '', values } of this.statements) {
        const plan = this.plans.get(name);
        // One that comes twice is planned once; what its rows look like is known when the first has been answered.
        const isNew = !plan && !planning.has(name);
        if (isNew && plan === null) wire.close({ type: 'S', name });
        if (isNew) wire.parse({ name, text });
        wire.bind({ statement: name, values, valueMapper: asSent });
        if (isNew) wire.describe({ type: 'P', name: '' });
        wire.execute({ portal: '', rows: 0 });
        if (name !== '') planning.add(name);
      }
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.shape = this.shapeOf(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { blank, columns } = this.current();
    const row = { ...blank };
    for (let n = 0; n < columns.length; n += 1) {
      const column = columns[n] as Shape['columns'][number];
      const text = fields[n] ?? null;
      row[column.name] = text === null ? null : column.parse(text);
    }
    this.rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name } = this.statements[this.outcomes.length] as Sendable;
    if (name !== undefined && !this.plans.get(name)) this.plans.set(name, this.shape);
    const words = text.split(' ');
    const changes = Number(words.at(-1));
    this.outcomes.push({
      rows: this.rows,
      changes: Number.isNaN(changes) ? 0 : changes,
      command: words[0] ?? '',
    });
    this.rows = [];
    this.shape = NO_ROWS;
  }

  handleError(error: Error): void {
    const failing = this.statements[this.outcomes.length];
    // Whether its plan was made before it failed is not told.
    if (failing?.name !== undefined && !this.plans.get(failing.name)) this.plans.set(failing.name, null);
    this.failed(error);
  }

  handleReadyForQuery(): void {
    this.done(this.outcomes);
  }

  handleEmptyQuery(): void {
    this.outcomes.push({ rows: [], changes: 0, command: '' });
  }

  handlePortalSuspended(): void {
    // Rows are never asked for in pieces.
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('the desk copies nothing');
  }

  handleCopyData(): void {
    // Nothing is copied.
  }

  /** Described in this flight, or known from an earlier one. */
  private current(): Shape {
    const { name = '' } = this.statements[this.outcomes.length] as Sendable;
    return this.plans.get(name) ?? this.shape;
  }

  private shapeOf(fields: readonly Field[]): Shape {
    const members = fields.map(({ name }) => `${JSON.stringify(name)}:null`);
    return {
      blank: JSON.parse(`{${members.join(',')}}`) as Record<string, null>,
      columns: fields.map(({ name, dataTypeID }) => ({
        name,
        parse: this.types.getTypeParser(dataTypeID, 'text') as unknown as Parser,
      })),
    };
  }
}

/** @throws the server's error of the first statement that failed; those after it were not run */
export function fly(
  client: pg.PoolClient,
  types: pg.TypeOverrides,
  statements: readonly Sendable[],
): Promise<readonly Outcome[]> {
  return new Promise((resolve, reject) => {
    client.query(new Flight(statements, types, resolve, reject) as unknown as pg.Submittable);
  });
}

/** Bytes are sent as they are, everything else as text. */
function asSent(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (value instanceof Uint8Array && !Buffer.isBuffer(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}
