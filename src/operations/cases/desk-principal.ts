import type { Authenticated } from '../../gates/authorization.js';
import { first, sql } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { upsertPrincipal } from '../principals.js';

/** The name under which the desk itself acts: telling origins, ending waits. It has no token, so nobody signs in as it. */
export const DESK_PRINCIPAL = 'signalbox';

/** The desk as a caller in a tenant, with an operator's rights; its own principal is made when it is first needed. */
export async function asDesk(desk: Desk, tenant: string): Promise<Authenticated> {
  const known = await desk.store.read(() =>
    first(
      sql`SELECT 1 FROM principals WHERE tenant = ${tenant} AND name = ${DESK_PRINCIPAL} AND disabled_at IS NULL`,
    ),
  );
  if (known === undefined) {
    await desk.store.write(() =>
      upsertPrincipal(tenant, DESK_PRINCIPAL, DESK_PRINCIPAL, ['operator'], DESK_PRINCIPAL, desk.now_ms()),
    );
  }
  return { tenant, principal: DESK_PRINCIPAL };
}
