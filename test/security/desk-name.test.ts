import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256 } from '../../src/core/identity.js';
import { insert, run } from '../../src/ledger/sql.js';
import { openSession, sessionOf } from '../../src/operations/sessions.js';
import { redeemSignInLink } from '../../src/operations/sign-in.js';
import { authenticate, insertToken } from '../../src/operations/tokens.js';
import { deskWithPeople, type TestDesk } from '../basket/desk.js';

const DESK = 'signalbox';

let desk: TestDesk;
beforeEach(async () => {
  desk = await deskWithPeople();
});
afterEach(() => desk.close());

it('the name of the desk itself can be given to nobody, disabled by nobody and acted for by nobody', async () => {
  const owner = desk.box.as('owner');
  for (const refused of [
    () => owner.putPrincipal({ name: DESK, roles: ['viewer'] }),
    () => owner.putPrincipal({ name: 'mallory', actor: DESK, roles: ['worker'] }),
    () => owner.putPrincipal({ name: DESK, roles: ['owner'], tenant: 'another' }),
    () => owner.disablePrincipal(DESK),
    () => owner.createToken({ principal: DESK }),
    () => owner.createSignInLink({ principal: DESK }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: 'INVALID' });
  await expect(
    desk.box.as('op', { onBehalfOf: { principal: DESK, reason: 'hidden' } }).list(),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('a token, a session or a link of it from before that was so lets nobody in', async () => {
  const { desk: inner } = desk.box;
  const token = await inner.store.write(function* () {
    yield* run(
      insert('principals', {
        tenant: 'default',
        name: DESK,
        actor: DESK,
        roles: '["operator"]',
        created_at: 1,
        created_by: DESK,
      }),
    );
    yield* run(
      insert('sign_in_links', {
        code_sha256: sha256('a code'),
        tenant: 'default',
        principal: DESK,
        created_at: desk.clock.now_ms,
        created_by: 'owner',
        expires_at: desk.clock.now_ms + 60_000,
      }),
    );
    return (yield* insertToken(inner, 'default', DESK, 'owner', {})).token;
  });
  const unauthenticated = { code: 'UNAUTHENTICATED' };
  await expect(authenticate(inner, token)).rejects.toMatchObject(unauthenticated);
  await expect(redeemSignInLink(inner, 'a code')).rejects.toMatchObject(unauthenticated);
  const secret = await openSession(inner, { tenant: 'default', principal: DESK });
  await expect(sessionOf(inner, secret)).rejects.toMatchObject(unauthenticated);
});
