import type Database from 'better-sqlite3';
import type { SqlValue } from './sql.js';

type Row = Record<string, SqlValue>;

/** A row of what a statement gives, before its values are filled in. */
const blanks = new WeakMap<
  Database.Statement,
  { readonly blank: Row; readonly columns: readonly string[] }
>();

/**
 * Runs a statement that gives rows. They are what V8 keeps as plain structs: the driver's own rows of more than a few
 * columns are hash tables, slow to read and slower to copy, and a work has fifty columns. (docs/decisions/0086)
 */
export function rowsOf(statement: Database.Statement, values: readonly SqlValue[]): Row[] {
  const { blank, columns } = blanks.get(statement) ?? prepared(statement);
  return (statement.all(...values) as SqlValue[][]).map((found) => {
    const row = { ...blank };
    for (let n = 0; n < columns.length; n += 1) row[columns[n] as string] = found[n] as SqlValue;
    return row;
  });
}

function prepared(statement: Database.Statement) {
  const columns = statement
    .raw()
    .columns()
    .map(({ name }) => name);
  const members = columns.map((name) => `${JSON.stringify(name)}:null`);
  const made = { blank: JSON.parse(`{${members.join(',')}}`) as Row, columns };
  blanks.set(statement, made);
  return made;
}
