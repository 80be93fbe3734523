import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { DESK_PRINCIPAL } from '../core/work.js';
import type { Authenticated } from '../gates/authorization.js';
import { keyedRequest, requireFirstUse } from '../gates/idempotency.js';
import { all, first, insert, run, sql } from '../ledger/sql.js';
import { managingOwner, principalName, tellOfAccess } from './access.js';
import type { CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { parseRequest } from './requests.js';
import { time, timeOrNull } from './views.js';

export const tokenRequest = z.strictObject({
  principal: principalName,
  label: z.string().max(LIMITS.name_chars).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});

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
    const caller = yield* managingOwner(who);
    const known = yield* first(
      sql`SELECT 1 FROM principals WHERE tenant = ${who.tenant} AND name = ${request.principal} AND disabled_at IS NULL`,
    );
    if (!known) throw new Refusal('NOT_FOUND', `no active principal ${request.principal}`);
    yield* requireFirstUse(caller, keyed, desk.now_ms());
    const made = yield* insertToken(desk, who.tenant, request.principal, who.principal, request);
    const { tokenId, principal, expiresAt } = made;
    yield* tellOfAccess(who.tenant, 'token.created', who, desk.now_ms(), { tokenId, principal, expiresAt });
    return made;
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
    yield* managingOwner(who);
    return (yield* all<TokenRow>(
      sql`SELECT * FROM tokens WHERE tenant = ${who.tenant} ORDER BY created_at, token_id`,
    )).map(tokenView);
  });
}

export function revokeToken(desk: Desk, who: Authenticated, tokenId: string) {
  return desk.store.write(function* () {
    yield* managingOwner(who);
    const now_ms = desk.now_ms();
    const token = yield* first<TokenRow>(
      sql`SELECT * FROM tokens WHERE tenant = ${who.tenant} AND token_id = ${tokenId}`,
    );
    if (!token) throw new Refusal('NOT_FOUND', `no token ${tokenId}`);
    const changed = yield* run(
      sql`UPDATE tokens SET revoked_at = ${now_ms} WHERE tenant = ${who.tenant} AND token_id = ${tokenId} AND revoked_at IS NULL`,
    );
    if (changed === 1)
      yield* tellOfAccess(who.tenant, 'token.revoked', who, now_ms, { tokenId, principal: token.principal });
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
  // Nobody has a token of the desk's own; one of before that was so lets nobody in.
  if (
    !row ||
    row.principal === DESK_PRINCIPAL ||
    row.revoked_at !== null ||
    (row.expires_at !== null && row.expires_at <= desk.now_ms())
  ) {
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
