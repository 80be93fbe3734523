import { canonicalJson } from '../../core/identity.js';
import { DESK_PRINCIPAL } from '../../core/work.js';
import type { Authenticated } from '../../gates/authorization.js';
import { first, sql, type Tx } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { upsertPrincipal } from '../principals.js';

const ROLES = ['operator'] as const;

/**
 * The desk as a caller in a tenant, with an operator's rights. Its own principal is made when it is first needed, and
 * made right again where somebody took its rights: without them no decision of that tenant would reach its origin.
 */
export async function asDesk(desk: Desk, tenant: string): Promise<Authenticated> {
  if (!(await desk.store.read(() => isItself(tenant)))) {
    await desk.store.write(() => deskWithin(tenant, desk.now_ms()));
  }
  return { tenant, principal: DESK_PRINCIPAL };
}

/** The same within a transaction, for a caller whose request may still be refused: then nothing was made. */
export function* deskWithin(tenant: string, now_ms: number): Tx<Authenticated> {
  if (!(yield* isItself(tenant))) {
    yield* upsertPrincipal(tenant, DESK_PRINCIPAL, DESK_PRINCIPAL, ROLES, DESK_PRINCIPAL, now_ms);
  }
  return { tenant, principal: DESK_PRINCIPAL };
}

function* isItself(tenant: string): Tx<boolean> {
  const known = yield* first<{ actor: string; roles: string; disabled_at: number | null }>(
    sql`SELECT actor, roles, disabled_at FROM principals WHERE tenant = ${tenant} AND name = ${DESK_PRINCIPAL}`,
  );
  return (
    known?.actor === DESK_PRINCIPAL && known.roles === canonicalJson(ROLES) && known.disabled_at === null
  );
}
