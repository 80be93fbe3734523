import { all, sql, type Tx } from '../ledger/sql.js';

/** Every tenant of the desk, for what concerns all of it. */
export function* allTenants(): Tx<string[]> {
  const rows = yield* all<{ tenant: string }>(
    sql`SELECT tenant FROM principals UNION SELECT tenant FROM works ORDER BY tenant`,
  );
  return rows.map((row) => row.tenant);
}
