import { randomBytes } from 'node:crypto';
import { sha256 } from '../core/identity.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { DESK_PRINCIPAL } from '../core/work.js';
import { authenticatedCaller, type Authenticated } from '../gates/authorization.js';
import { first, insert, run, sql, type Tx } from '../ledger/sql.js';
import type { Desk } from './desk.js';

/** A browser that is signed in: who it acts as, and what its forms must carry. */
export interface Session {
  readonly who: Authenticated;
  readonly actor: string;
  readonly roles: readonly string[];
  /** Derived from the session's secret, so that a page of another session or another site cannot know it. */
  readonly csrf: string;
}

interface SessionRow {
  session_sha256: string;
  tenant: string;
  principal: string;
  token_id: string | null;
  created_at: number;
  seen_at: number;
  expires_at: number;
}

/**
 * Opens a session for a principal that has just shown who it is.
 * @param token the token it was shown with; the session then ends with that token
 * @returns the secret for the browser's cookie; only its hash is stored
 */
export async function openSession(desk: Desk, who: Authenticated, token?: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await desk.store.write(function* () {
    yield* authenticatedCaller(who);
    const now_ms = desk.now_ms();
    const known =
      token === undefined
        ? undefined
        : yield* first<{ token_id: string }>(
            sql`SELECT token_id FROM tokens WHERE token_sha256 = ${sha256(token)}`,
          );
    yield* run(sql`DELETE FROM sessions WHERE expires_at <= ${now_ms}`);
    yield* run(
      insert('sessions', {
        session_sha256: sha256(secret),
        tenant: who.tenant,
        principal: who.principal,
        token_id: known?.token_id ?? null,
        created_at: now_ms,
        seen_at: now_ms,
        expires_at: now_ms + LIMITS.sessionIdle_ms,
      }),
    );
  });
  return secret;
}

/**
 * Who a session's secret stands for, with the rights of this moment. Being used keeps a session alive, up to a limit.
 * @throws Refusal UNAUTHENTICATED for a session that is unknown, ended or expired, or whose principal or token is gone
 */
export async function sessionOf(desk: Desk, secret: string): Promise<Session> {
  const now_ms = desk.now_ms();
  const key = sha256(secret);
  const { row, roles, actor } = await desk.store.read(function* () {
    const found = yield* liveSession(key, now_ms);
    const caller = yield* authenticatedCaller({ tenant: found.tenant, principal: found.principal });
    return { row: found, roles: caller.roles, actor: caller.actor };
  });
  if (now_ms - row.seen_at > LIMITS.sessionSeen_ms) await keepAlive(desk, row, now_ms);
  return {
    who: { tenant: row.tenant, principal: row.principal },
    actor,
    roles,
    csrf: sha256(`signalbox form ${secret}`),
  };
}

/** Ends a session; its cookie is worth nothing from then on. */
export async function closeSession(desk: Desk, secret: string): Promise<void> {
  await desk.store.write(() => run(sql`DELETE FROM sessions WHERE session_sha256 = ${sha256(secret)}`));
}

function* liveSession(key: string, now_ms: number): Tx<SessionRow> {
  const row = yield* first<SessionRow>(sql`
    SELECT s.* FROM sessions s LEFT JOIN tokens t ON t.token_id = s.token_id
    WHERE s.session_sha256 = ${key} AND s.expires_at > ${now_ms} AND s.principal <> ${DESK_PRINCIPAL}
      AND (s.token_id IS NULL OR (t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now_ms})))`);
  if (!row) throw new Refusal('UNAUTHENTICATED', 'this session has ended; sign in again');
  return row;
}

async function keepAlive(desk: Desk, row: SessionRow, now_ms: number): Promise<void> {
  const until = Math.min(now_ms + LIMITS.sessionIdle_ms, row.created_at + LIMITS.session_ms);
  await desk.store.write(() =>
    run(
      sql`UPDATE sessions SET seen_at = ${now_ms}, expires_at = ${until} WHERE session_sha256 = ${row.session_sha256}`,
    ),
  );
}
