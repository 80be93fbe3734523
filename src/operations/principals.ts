import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { ROLES, type Caller } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { keyedRequest, requireFirstUse } from '../gates/idempotency.js';
import { all, first, insert, run, sql, type Tx } from '../ledger/sql.js';
import type { CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { parseRequest } from './requests.js';
import { time, timeOrNull } from './views.js';

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, 'must be letters, digits and . _ @ -')
  .max(LIMITS.name_chars);

export const principalRequest = z.strictObject({
  name,
  actor: name.optional(),
  roles: z.array(z.enum(ROLES)).min(1),
  tenant: name.optional(),
});
export const tokenRequest = z.strictObject({
  principal: name,
  label: z.string().max(LIMITS.name_chars).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
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

function* owner(who: Authenticated): Tx<Caller> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, [], 'managing principals');
  return caller;
}

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
    yield* owner(who);
    if (tenant !== who.tenant && who.tenant !== DEFAULT_TENANT)
      throw new Refusal('FORBIDDEN', 'only an owner of the default tenant founds tenants');
    if (tenant !== who.tenant && (yield* tenantExists(tenant)))
      throw new Refusal('FORBIDDEN', 'this tenant has its own owners');
    if (tenant !== who.tenant && !roles.includes('owner'))
      throw new Refusal('INVALID', 'the first principal of a tenant is an owner');
    yield* upsertPrincipal(tenant, principal, actor, roles, who.principal, desk.now_ms());
    yield* requireAnOwner(tenant);
    const row = yield* first<PrincipalRow>(
      sql`SELECT * FROM principals WHERE tenant = ${tenant} AND name = ${principal}`,
    );
    if (!row) throw new Error('a principal just written is there');
    if (tenant === who.tenant) return principalView(row);
    // Nobody of the founding tenant may enter the new one, so its owner's first token can only be given here, once.
    const { token } = yield* insertToken(desk, tenant, principal, who.principal, { label: 'founding' });
    return { ...principalView(row), token };
  });
}

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
    yield* owner(who);
    return (yield* all<PrincipalRow>(
      sql`SELECT * FROM principals WHERE tenant = ${who.tenant} ORDER BY name`,
    )).map(principalView);
  });
}

/** Takes all rights at once: the next act of any of its tokens is refused. Its name stays in history. */
export function disablePrincipal(desk: Desk, who: Authenticated, principal: string) {
  return desk.store.write(function* () {
    yield* owner(who);
    if (principal === who.principal) throw new Refusal('INVALID', 'an owner cannot disable itself');
    const now_ms = desk.now_ms();
    const changed = yield* run(
      sql`UPDATE principals SET disabled_at = ${now_ms} WHERE tenant = ${who.tenant} AND name = ${principal}`,
    );
    if (changed === 0) throw new Refusal('NOT_FOUND', `no principal ${principal}`);
    yield* run(
      sql`UPDATE tokens SET revoked_at = ${now_ms} WHERE tenant = ${who.tenant} AND principal = ${principal} AND revoked_at IS NULL`,
    );
    yield* run(sql`DELETE FROM sessions WHERE tenant = ${who.tenant} AND principal = ${principal}`);
    return { name: principal, disabledAt: time(now_ms) };
  });
}

interface TokenRow {
  token_id: string;
  tenant: string;
  principal: string;
  label: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

const tokenView = (row: TokenRow) => ({
  tokenId: row.token_id,
  principal: row.principal,
  label: row.label,
  createdAt: time(row.created_at),
  expiresAt: timeOrNull(row.expires_at),
  revokedAt: timeOrNull(row.revoked_at),
});

/** Makes a token; its secret is in the answer and nowhere else: only its hash is stored. */
export async function createToken(desk: Desk, who: Authenticated, body: unknown, options: CallOptions = {}) {
  const request = parseRequest(tokenRequest, body);
  const keyed = keyedRequest(options.idempotencyKey, 'create-token', null, request);
  return await desk.store.write(function* () {
    const caller = yield* owner(who);
    const known = yield* first(
      sql`SELECT 1 FROM principals WHERE tenant = ${who.tenant} AND name = ${request.principal} AND disabled_at IS NULL`,
    );
    if (!known) throw new Refusal('NOT_FOUND', `no active principal ${request.principal}`);
    yield* requireFirstUse(caller, keyed, desk.now_ms());
    return yield* insertToken(desk, who.tenant, request.principal, who.principal, request);
  });
}

export function* insertToken(
  desk: Desk,
  tenant: string,
  principal: string,
  by: string,
  more: { label?: string | undefined; expiresAt?: string | undefined },
  token: string = newToken(),
) {
  const row = {
    token_id: desk.newId(),
    tenant,
    principal,
    label: more.label ?? null,
    created_at: desk.now_ms(),
    expires_at: more.expiresAt === undefined ? null : Date.parse(more.expiresAt),
    revoked_at: null,
  };
  yield* run(insert('tokens', { ...row, token_sha256: sha256(token), created_by: by }));
  return { ...tokenView(row), token };
}

export function listTokens(desk: Desk, who: Authenticated) {
  return desk.store.read(function* () {
    yield* owner(who);
    return (yield* all<TokenRow>(
      sql`SELECT * FROM tokens WHERE tenant = ${who.tenant} ORDER BY created_at, token_id`,
    )).map(tokenView);
  });
}

export function revokeToken(desk: Desk, who: Authenticated, tokenId: string) {
  return desk.store.write(function* () {
    yield* owner(who);
    const now_ms = desk.now_ms();
    const changed = yield* run(sql`
      UPDATE tokens SET revoked_at = coalesce(revoked_at, ${now_ms}) WHERE tenant = ${who.tenant} AND token_id = ${tokenId}`);
    if (changed === 0) throw new Refusal('NOT_FOUND', `no token ${tokenId}`);
    return { tokenId, revokedAt: time(now_ms) };
  });
}

/**
 * Who a bearer token stands for. Looked up by hash, so comparing takes the same time for every guess.
 * @throws Refusal UNAUTHENTICATED for one that is unknown, expired or revoked
 */
export async function authenticate(desk: Desk, token: string): Promise<Authenticated> {
  const row = await desk.store.read(() =>
    first<TokenRow>(sql`SELECT * FROM tokens WHERE token_sha256 = ${sha256(token)}`),
  );
  if (!row || row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= desk.now_ms())) {
    throw new Refusal('UNAUTHENTICATED', 'this token is unknown, expired or revoked');
  }
  return { tenant: row.tenant, principal: row.principal };
}

/** A secret of 256 random bits, known by its beginning to whoever looks for leaked ones. */
export const newToken = (): string => `sbx_${randomBytes(32).toString('base64url')}`;

/** Whether this token lets somebody in now. */
export async function isLiveToken(desk: Desk, token: string): Promise<boolean> {
  return await authenticate(desk, token).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false;
      throw error;
    },
  );
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
