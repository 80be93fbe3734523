import { canonicalJson } from '../../core/identity.js';
import { DESK_PRINCIPAL } from '../../core/work.js';
import type { Authenticated } from '../../gates/authorization.js';
import { first, sql } from '../../ledger/sql.js';
import type { Desk } from '../desk.js';
import { upsertPrincipal } from '../principals.js';

const ROLES = ['operator'] as const;

/**
 * The desk as a caller in a tenant, with an operator's rights. Its own principal is made when it is first needed, and
 * made right again where somebody took its rights: without them no decision of that tenant would reach its origin.
 */
export async function asDesk(desk: Desk, tenant: string): Promise<Authenticated> {
  const known = await desk.store.read(() =>
    first<{ actor: string; roles: string; disabled_at: number | null }>(
      sql`SELECT actor, roles, disabled_at FROM principals WHERE tenant = ${tenant} AND name = ${DESK_PRINCIPAL}`,
    ),
  );
  const isItself =
    known?.actor === DESK_PRINCIPAL && known.roles === canonicalJson(ROLES) && known.disabled_at === null;
  if (!isItself) {
    await desk.store.write(() =>
      upsertPrincipal(tenant, DESK_PRINCIPAL, DESK_PRINCIPAL, ROLES, DESK_PRINCIPAL, desk.now_ms()),
    );
  }
  return { tenant, principal: DESK_PRINCIPAL };
}
