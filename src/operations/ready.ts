import { first, sql } from '../ledger/sql.js';
import type { Desk } from './desk.js';

/** Asks the database for something only a working one answers. @throws whatever keeps it from answering */
export async function checkReady(desk: Desk): Promise<void> {
  await desk.store.read(() => first(sql`SELECT 1 FROM principals LIMIT 1`));
}
