import { z } from 'zod';
import { canonicalJson } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import { DESK_PRINCIPAL, ROLES } from '../core/work.js';
import type { Authenticated } from '../gates/authorization.js';
import { all, first, insert, run, sql, type Tx } from '../ledger/sql.js';
import { managingOwner, principalName, tellOfAccess } from './access.js';
import type { Desk } from './desk.js';
import { parseRequest } from './requests.js';
import { insertToken, newToken } from './tokens.js';
import { time, timeOrNull } from './views.js';

export const principalRequest = z.strictObject({
  name: principalName,
  actor: principalName.optional(),
  roles: z.array(z.enum(ROLES)).min(1),
  tenant: principalName.optional(),
});

interface PrincipalRow {
  tenant: string;
  name: string;
  actor: string;
  roles: string;
  created_at: number;
  created_by: string;
  disabled_at: number | null;
}

const principalView = (row: PrincipalRow) => ({
  name: row.name,
  actor: row.actor,
  roles: JSON.parse(row.roles) as string[],
  tenant: row.tenant,
  createdAt: time(row.created_at),
  createdBy: row.created_by,
  disabledAt: timeOrNull(row.disabled_at),
});

/**
 * Adds or changes a principal. The actor is the accountable party behind it, by default itself.
 * Another tenant can only be named to found it, by the default tenant's owner.
 */
export async function putPrincipal(desk: Desk, who: Authenticated, body: unknown) {
  const {
    name: principal,
    actor = principal,
    roles,
    tenant = who.tenant,
  } = parseRequest(principalRequest, body);
  return await desk.store.write(function* () {
    yield* managingOwner(who);
    if (tenant !== who.tenant && who.tenant !== DEFAULT_TENANT)
      throw new Refusal('FORBIDDEN', 'only an owner of the default tenant founds tenants');
    if (tenant !== who.tenant && (yield* tenantExists(tenant)))
      throw new Refusal('FORBIDDEN', 'this tenant has its own owners');
    if (tenant !== who.tenant && !roles.includes('owner'))
      throw new Refusal('INVALID', 'the first principal of a tenant is an owner');
    const before = yield* findPrincipal(tenant, principal);
    const now_ms = desk.now_ms();
    yield* upsertPrincipal(tenant, principal, actor, roles, who.principal, now_ms);
    yield* requireAnOwner(tenant);
    const row = yield* findPrincipal(tenant, principal);
    if (!row) throw new Error('a principal just written is there');
    const [was, is] = [before ? rightsOf(before) : null, rightsOf(row)];
    if (canonicalJson(was) !== canonicalJson(is))
      yield* tellOfAccess(tenant, before ? 'principal.changed' : 'principal.added', who, now_ms, {
        principal,
        ...is,
        ...(was ? { was } : {}),
      });
    if (tenant === who.tenant) return principalView(row);
    // Nobody of the founding tenant may enter the new one, so its owner's first token can only be given here, once.
    const { token, tokenId } = yield* insertToken(desk, tenant, principal, who.principal, {
      label: 'founding',
    });
    yield* tellOfAccess(tenant, 'token.created', who, now_ms, { tokenId, principal, expiresAt: null });
    return { ...principalView(row), token };
  });
}

const findPrincipal = (tenant: string, name: string): Tx<PrincipalRow | undefined> =>
  first(sql`SELECT * FROM principals WHERE tenant = ${tenant} AND name = ${name}`);

/** What a principal may do, and as whom. */
const rightsOf = ({ actor, roles, disabled_at }: PrincipalRow) => ({
  actor,
  roles: JSON.parse(roles) as string[],
  disabled: disabled_at !== null,
});

export const DEFAULT_TENANT = 'default';

function* tenantExists(tenant: string): Tx<boolean> {
  return (yield* first(sql`SELECT 1 FROM principals WHERE tenant = ${tenant} LIMIT 1`)) !== undefined;
}

/** Nobody could let anybody in any more. @throws Refusal INVALID */
function* requireAnOwner(tenant: string): Tx<void> {
  const live = yield* all<{ roles: string }>(
    sql`SELECT roles FROM principals WHERE tenant = ${tenant} AND disabled_at IS NULL`,
  );
  if (live.some(({ roles }) => (JSON.parse(roles) as string[]).includes('owner'))) return;
  throw new Refusal('INVALID', 'the last owner of a tenant stays its owner', {
    errors: [{ path: '/roles', message: 'the last owner of a tenant stays its owner' }],
  });
}

export function* upsertPrincipal(
  tenant: string,
  principal: string,
  actor: string,
  roles: readonly string[],
  by: string,
  now_ms: number,
): Tx<void> {
  yield* run(
    insert(
      'principals',
      { tenant, name: principal, actor, roles: JSON.stringify(roles), created_at: now_ms, created_by: by },
      'ON CONFLICT (tenant, name) DO UPDATE SET actor = excluded.actor, roles = excluded.roles, disabled_at = NULL',
    ),
  );
}

export function listPrincipals(desk: Desk, who: Authenticated) {
  return desk.store.read(function* () {
    yield* managingOwner(who);
    return (yield* all<PrincipalRow>(
      sql`SELECT * FROM principals WHERE tenant = ${who.tenant} ORDER BY name`,
    )).map(principalView);
  });
}

/** Takes all rights at once: the next act of any of its tokens is refused. Its name stays in history. */
export function disablePrincipal(desk: Desk, who: Authenticated, principal: string) {
  return desk.store.write(function* () {
    yield* managingOwner(who);
    if (principal === who.principal) throw new Refusal('INVALID', 'an owner cannot disable itself');
    if (principal === DESK_PRINCIPAL) throw new Refusal('INVALID', 'the desk itself cannot be disabled');
    const now_ms = desk.now_ms();
    const changed = yield* run(
      sql`UPDATE principals SET disabled_at = ${now_ms} WHERE tenant = ${who.tenant} AND name = ${principal}`,
    );
    if (changed === 0) throw new Refusal('NOT_FOUND', `no principal ${principal}`);
    yield* run(
      sql`UPDATE tokens SET revoked_at = ${now_ms} WHERE tenant = ${who.tenant} AND principal = ${principal} AND revoked_at IS NULL`,
    );
    yield* run(sql`DELETE FROM sessions WHERE tenant = ${who.tenant} AND principal = ${principal}`);
    yield* tellOfAccess(who.tenant, 'principal.disabled', who, now_ms, { principal });
    return { name: principal, disabledAt: time(now_ms) };
  });
}

/** Whether nobody was ever let in here: the next opening founds the owner. */
export async function isUnfounded(desk: Desk): Promise<boolean> {
  return !(await desk.store.read(() => tenantExists(DEFAULT_TENANT)));
}

/**
 * The owner every new store begins with.
 * @param secret the first token; its keeper has it on disk before this is called, so that a crash loses nothing
 * @returns the token, where the owner was just created
 */
export async function ensureOwner(
  desk: Desk,
  secret: string = newToken(),
): Promise<{ readonly token: string } | null> {
  return await desk.store.write(function* () {
    if (yield* tenantExists(DEFAULT_TENANT)) return null;
    yield* upsertPrincipal(DEFAULT_TENANT, 'owner', 'owner', ['owner'], 'signalbox', desk.now_ms());
    yield* insertToken(desk, DEFAULT_TENANT, 'owner', 'signalbox', { label: 'first start' }, secret);
    return { token: secret };
  });
}
