import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMS } from '../../proof/fuzz/pages.js';
import { fuzzDesk, type FuzzDesk } from '../../proof/fuzz/fuzz-desk.js';
import { openSession, sessionOf } from '../../src/operations/sessions.js';

let desk: FuzzDesk;
let before: string;
beforeAll(async () => {
  desk = await fuzzDesk();
  before = await desk.record();
});
afterAll(() => desk.close());

/** Forms that change nothing of the desk, which are tested at the door; and the upload, whose token is in a header. */
const OPEN = new Set(['/sign-in', '/send-again', '/sign-out', '/language', '/import']);

async function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const { server, furnished } = desk;
  const { port } = new URL(server.url);
  const response = await fetch(`${server.url}${path.replace(':work', 'held')}`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      origin: server.url,
      cookie: `signalbox_session_${port}=${furnished.session.secret}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams({
      reason: 'because',
      name: 'spare',
      text: 'x',
      to: 'ann',
      ...fields,
    }).toString(),
  });
  return response.status;
}

describe('a form that another site sends for an owner who is signed in', () => {
  const forms = FORMS.filter((path) => !OPEN.has(path));

  it.each(forms)(
    '%s is refused without the token of the session, with another’s, and from elsewhere',
    async (path) => {
      const other = await openSession(desk.box.desk, { tenant: 'default', principal: 'owner' });
      const { csrf } = await sessionOf(desk.box.desk, other);
      const own = desk.furnished.session.csrf;
      expect(await post(path, {})).toBe(403);
      expect(await post(path, { csrf })).toBe(403);
      expect(await post(path, { csrf: own }, { origin: 'http://evil.test' })).toBe(403);
      expect(await post(path, { csrf: own }, { origin: 'null' })).toBe(403);
      expect(await desk.record()).toBe(before);
    },
  );

  it('an upload is refused without the token in its header', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    expect(await post('/import', {}, headers)).toBe(403);
    expect(await desk.record()).toBe(before);
  });
});
