import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { DESK_PRINCIPAL } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { keyedRequest, requireFirstUse } from '../gates/idempotency.js';
import { first, insert, run, sql } from '../ledger/sql.js';
import { principalName, tellOfAccess } from './access.js';
import type { CallOptions } from './answer-wait.js';
import type { Desk } from './desk.js';
import { parseRequest } from './requests.js';
import { time } from './views.js';

export const signInLinkRequest = z.strictObject({
  /** Whom the link signs in; by default the caller itself. */
  principal: principalName.optional(),
});

/**
 * Makes a one-time code that signs a browser in. Only its hash is stored. Everybody may make one for themselves,
 * an owner for any principal of the tenant.
 * @returns the code, the path to open with it, and when it ends
 * @throws Refusal FORBIDDEN, NOT_FOUND for a principal that is unknown or disabled
 */
export async function createSignInLink(
  desk: Desk,
  who: Authenticated,
  body?: unknown,
  options: CallOptions = {},
) {
  const request = parseRequest(signInLinkRequest, body ?? {});
  const keyed = keyedRequest(options.idempotencyKey, 'sign-in-link', null, request);
  const code = randomBytes(32).toString('base64url');
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    const principal = request.principal ?? caller.principal;
    if (principal !== caller.principal) requireRole(caller, [], 'signing somebody else in');
    const known = yield* first(
      sql`SELECT 1 FROM principals WHERE tenant = ${who.tenant} AND name = ${principal} AND disabled_at IS NULL`,
    );
    if (!known) throw new Refusal('NOT_FOUND', `no active principal ${principal}`);
    const now_ms = desk.now_ms();
    yield* requireFirstUse(caller, keyed, now_ms);
    const expires_at = now_ms + LIMITS.signInLink_ms;
    yield* run(sql`DELETE FROM sign_in_links WHERE expires_at < ${now_ms - LIMITS.signInLink_ms}`);
    yield* run(
      insert('sign_in_links', {
        code_sha256: sha256(code),
        tenant: who.tenant,
        principal,
        created_at: now_ms,
        created_by: who.principal,
        expires_at,
      }),
    );
    if (principal !== who.principal)
      yield* tellOfAccess(who.tenant, 'sign_in_link.created', who, now_ms, {
        principal,
        expiresAt: time(expires_at),
      });
    return { principal, code, path: `/sign-in?code=${code}`, expiresAt: time(expires_at) };
  });
}

/**
 * Takes a code, once.
 * @returns whom it signs in
 * @throws Refusal UNAUTHENTICATED for a code that is unknown, used or too old, and for a principal disabled since
 */
export async function redeemSignInLink(desk: Desk, code: string): Promise<Authenticated> {
  return await desk.store.write(function* () {
    const now_ms = desk.now_ms();
    const row = yield* first<{ tenant: string; principal: string }>(sql`
      UPDATE sign_in_links SET used_at = ${now_ms}
      WHERE code_sha256 = ${sha256(code)} AND used_at IS NULL AND expires_at > ${now_ms}
      RETURNING tenant, principal`);
    if (!row || row.principal === DESK_PRINCIPAL)
      throw new Refusal('UNAUTHENTICATED', 'this sign-in link is unknown, used or expired');
    const who = { tenant: row.tenant, principal: row.principal };
    yield* authenticatedCaller(who);
    return who;
  });
}
