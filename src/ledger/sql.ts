/**
 * One SQL text for both databases, and transactions as generators.
 *
 * SQLite must run a write transaction without an `await` between begin and commit, PostgreSQL cannot run one
 * without. A generator that yields statements is written once and driven by either: the SQLite driver answers
 * each statement synchronously, the PostgreSQL driver awaits it. (docs/decisions/0002)
 */
export type SqlValue = string | number | null | Uint8Array;

export interface Statement {
  /** Text between the values; a driver joins it with its own placeholders. */
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
  /** Nobody waits for its result: a driver may send it with what follows. */
  readonly unawaited?: true;
}

export interface Result {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** A piece of a transaction: yields statements, is given their results, returns a T. */
export type Tx<T> = Generator<Statement, T, Result>;

type Plain = SqlValue | undefined | boolean;
type Interpolated = Plain | Statement;

function isStatement(value: Interpolated): value is Statement {
  return typeof value === 'object' && value !== null && 'parts' in value;
}

/** Builds a statement; values become parameters, never text. Statements may be nested. */
export function sql(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Statement {
  if (!values.some(isStatement)) return { parts: strings, values: (values as readonly Plain[]).map(plain) };
  const parts = [strings[0] ?? ''];
  const flat: SqlValue[] = [];
  values.forEach((value, index) => {
    const after = strings[index + 1] ?? '';
    if (isStatement(value)) {
      parts[parts.length - 1] += value.parts[0] ?? '';
      parts.push(...value.parts.slice(1));
      flat.push(...value.values);
      parts[parts.length - 1] += after;
    } else {
      flat.push(plain(value));
      parts.push(after);
    }
  });
  return { parts, values: flat };
}

function plain(value: Plain): SqlValue {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : value;
}

/** A fixed piece of SQL text, for names that code chose. Never for anything that came from outside. */
export function fixed(text: string): Statement {
  return { parts: [text], values: [] };
}

export function joined(pieces: readonly Statement[], separator: string): Statement {
  const parts = [''];
  const values: SqlValue[] = [];
  pieces.forEach((piece, index) => {
    parts[parts.length - 1] += (index === 0 ? '' : separator) + (piece.parts[0] ?? '');
    parts.push(...piece.parts.slice(1));
    values.push(...piece.values);
  });
  return { parts, values };
}

/** `(?, ?, …)` for `IN`; an empty list matches nothing. */
export function listOf(values: readonly SqlValue[]): Statement {
  if (values.length === 0) return fixed('(NULL)');
  return sql`(${joined(
    values.map((value) => sql`${value}`),
    ', ',
  )})`;
}

export function* all<R>(statement: Statement): Tx<R[]> {
  const result = yield statement;
  return result.rows as R[];
}

export function* first<R>(statement: Statement): Tx<R | undefined> {
  const result = yield statement;
  return result.rows[0] as R | undefined;
}

/** Runs a change and tells how many rows it touched. */
export function* run(statement: Statement): Tx<number> {
  const result = yield statement;
  return result.changes;
}

/**
 * Makes a change that needs no answer. Where it fails, the transaction fails, at the latest when it is committed; so
 * nothing may count on having caught its error.
 */
export function* send(statement: Statement): Tx<void> {
  yield { ...statement, unawaited: true };
}

/** An INSERT of one row; the keys are column names that code chose. */
export function insert(
  table: string,
  row: Readonly<Record<string, SqlValue | boolean | undefined>>,
  suffix = '',
): Statement {
  const columns = Object.keys(row);
  return {
    parts: insertParts(table, columns, suffix),
    values: columns.map((column) => plain(row[column])),
  };
}

const insertCache = new Map<string, readonly string[]>();

/** The same array for the same shape, so that drivers can recognise a statement they have prepared. */
function insertParts(table: string, columns: readonly string[], suffix: string): readonly string[] {
  const key = `${table}|${columns.join()}|${suffix}`;
  let parts = insertCache.get(key);
  if (!parts) {
    parts = [
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (`,
      ...columns.slice(1).map(() => ', '),
      `) ${suffix}`,
    ];
    insertCache.set(key, parts);
  }
  return parts;
}

const setCache = new Map<string, readonly string[]>();

/** `col = ?, col = ?` for an UPDATE; keys are column names that code chose. */
export function assignments(row: Readonly<Record<string, SqlValue | boolean | undefined>>): Statement {
  const columns = Object.keys(row);
  const key = columns.join();
  let parts = setCache.get(key);
  if (!parts) {
    parts = columns.map((column, index) => `${index === 0 ? '' : ', '}${column} = `).concat('');
    setCache.set(key, parts);
  }
  return { parts, values: columns.map((column) => plain(row[column])) };
}
