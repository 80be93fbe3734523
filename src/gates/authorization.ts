import { Refusal } from '../core/refusals.js';
import { DESK_PRINCIPAL, type Caller, type Party, type Role } from '../core/work.js';
import { all, first, listOf, sql, type Tx } from '../ledger/sql.js';

/** Who a door has authenticated: a name in a tenant, no rights. Rights are read at the time of the act. */
export interface Authenticated {
  readonly tenant: string;
  readonly principal: string;
  readonly onBehalfOf?: { readonly principal: string; readonly reason: string };
}

interface PrincipalRow {
  name: string;
  actor: string;
  roles: string;
  disabled_at: number | null;
}

const findPrincipal = (tenant: string, name: string): Tx<PrincipalRow | undefined> =>
  first<PrincipalRow>(
    sql`SELECT name, actor, roles, disabled_at FROM principals WHERE tenant = ${tenant} AND name = ${name}`,
  );

/**
 * The caller with the rights it has now, in the transaction that will use them.
 * @throws Refusal UNAUTHENTICATED for an unknown or disabled principal, FORBIDDEN for acting on behalf without the right
 */
export function* authenticatedCaller(who: Authenticated): Tx<Caller> {
  const self = yield* livePrincipal(who.tenant, who.principal);
  if (!who.onBehalfOf)
    return { tenant: who.tenant, principal: self.name, actor: self.actor, roles: rolesOf(self) };
  if (who.onBehalfOf.principal === DESK_PRINCIPAL)
    throw new Refusal('FORBIDDEN', 'nobody acts on behalf of the desk itself');
  const roles = rolesOf(self);
  if (!roles.includes('operator') && !roles.includes('owner')) {
    throw new Refusal('FORBIDDEN', 'acting on behalf of somebody needs the role operator or owner');
  }
  const other = yield* livePrincipal(who.tenant, who.onBehalfOf.principal);
  return {
    tenant: who.tenant,
    principal: other.name,
    actor: other.actor,
    // Never more than both have: an operator does not become an owner by naming one.
    roles: rolesOf(other).filter((role) => role !== 'owner' || roles.includes('owner')),
    via: { principal: self.name, actor: self.actor, reason: who.onBehalfOf.reason },
  };
}

function* livePrincipal(tenant: string, name: string): Tx<PrincipalRow> {
  const row = yield* findPrincipal(tenant, name);
  if (!row || row.disabled_at !== null)
    throw new Refusal('UNAUTHENTICATED', `no active principal ${name} in this tenant`);
  return row;
}

/**
 * Somebody who is to be given something, by name, with the role it takes.
 * @throws Refusal NOT_FOUND when there is nobody like that in this tenant
 */
export function* livingParty(tenant: string, name: string, role: Role): Tx<Party> {
  const row = yield* findPrincipal(tenant, name);
  const roles = row && row.disabled_at === null ? rolesOf(row) : [];
  if (!row || !(roles.includes(role) || roles.includes('owner'))) {
    throw new Refusal('NOT_FOUND', `no active principal ${name} with the role ${role}`);
  }
  return { principal: row.name, actor: row.actor };
}

/** These principals as they are now, disabled ones too. */
export function* presentParties(tenant: string, names: readonly string[]): Tx<(Party & { owns: boolean })[]> {
  if (names.length === 0) return [];
  const rows = yield* all<PrincipalRow>(
    sql`SELECT name, actor, roles, disabled_at FROM principals WHERE tenant = ${tenant} AND name IN ${listOf([...new Set(names)])}`,
  );
  return rows.map((row) => ({
    principal: row.name,
    actor: row.actor,
    owns: row.disabled_at === null && rolesOf(row).includes('owner'),
  }));
}

function rolesOf(row: PrincipalRow): Role[] {
  return JSON.parse(row.roles) as Role[];
}

/** @throws Refusal FORBIDDEN when the caller has none of the roles and is no owner */
export function requireRole(caller: Caller, roles: readonly Role[], operation: string): void {
  if (caller.roles.includes('owner') || roles.some((role) => caller.roles.includes(role))) return;
  throw new Refusal('FORBIDDEN', `${operation} needs one of the roles ${[...roles, 'owner'].join(', ')}`);
}

/** Everybody but a scout sees every work of the tenant; a scout sees what it registered. */
export function maySee(caller: Caller, work: { created_by: string }): boolean {
  return caller.roles.some((role) => role !== 'scout') || work.created_by === caller.principal;
}
