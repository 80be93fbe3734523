import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../http/serving.js';
import { formOf, servingCockpit, signedInVisitor, visitor } from './visiting.js';

let here: Serving;
beforeAll(async () => {
  here = await servingCockpit();
});
afterAll(() => here.close());

const codeOf = async (principal?: string): Promise<string> => {
  const { code } = await here.box.as('owner').createSignInLink(principal ? { principal } : {});
  return code;
};

describe('signing in', () => {
  it('sends whoever is not signed in to the door, from every page', async () => {
    for (const path of ['/', '/gates', '/reviews', '/live', '/gates/x', '/works/x/artifacts/y']) {
      const answer = await visitor(here.url).get(path);
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 303, '/sign-in']);
    }
  });

  it('takes a one-time link by a press, not by being opened, and only once', async () => {
    const code = await codeOf();
    const browser = visitor(here.url);
    const opened = await browser.get(`/sign-in?code=${code}`);
    expect(opened.status).toBe(200);
    expect(browser.cookies.size).toBe(0);
    const taken = await browser.post('/sign-in', { code });
    expect([taken.status, taken.headers.get('location')]).toEqual([303, '/']);
    expect((await browser.get('/')).status).toBe(200);
    const again = await visitor(here.url).post('/sign-in', { code });
    expect(again.status).toBe(401);
  });

  it('keeps the session in a cookie that scripts and other sites cannot use, and its secret nowhere in the page', async () => {
    const browser = visitor(here.url);
    const answer = await browser.post('/sign-in', { token: here.ownerToken });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).toMatch(/Path=\//);
    const secret = /=([^;]+)/.exec(cookie)?.[1] ?? '';
    const page = await browser.get('/');
    expect(page.text).not.toContain(secret);
    expect(page.text).not.toContain(here.ownerToken);
    const stored = JSON.stringify(
      await here.box.desk.store.read(function* () {
        return (yield { parts: ['SELECT * FROM sessions'], values: [] }).rows;
      }),
    );
    expect(stored).not.toContain(secret);
  });

  it('says the same for every link or token that does not work', async () => {
    const wrong = await visitor(here.url).post('/sign-in', { token: 'sbx_wrong' });
    const none = await visitor(here.url).post('/sign-in', {});
    expect([wrong.status, none.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(none.text);
  });

  it('ends with the token it began with, with its principal, and when it is signed out', async () => {
    const owner = here.box.as('owner');
    await owner.putPrincipal({ name: 'ines', roles: ['reviewer'] });
    const made = await owner.createToken({ principal: 'ines' });
    const byToken = await signedInVisitor(here, made.token);
    expect((await byToken.get('/')).status).toBe(200);
    await owner.revokeToken(made.tokenId);
    expect((await byToken.get('/')).headers.get('location')).toBe('/sign-in');

    const byLink = visitor(here.url);
    await byLink.post('/sign-in', { code: await codeOf('ines') });
    expect((await byLink.get('/')).status).toBe(200);
    await owner.disablePrincipal('ines');
    await owner.putPrincipal({ name: 'ines', roles: ['reviewer'] });
    expect((await byLink.get('/')).headers.get('location')).toBe('/sign-in');

    const leaving = await signedInVisitor(here, here.ownerToken);
    const kept = new Map(leaving.cookies);
    await leaving.post('/sign-out');
    expect(leaving.cookies.size).toBe(0);
    for (const [name, value] of kept) leaving.cookies.set(name, value);
    expect((await leaving.get('/')).headers.get('location')).toBe('/sign-in');
  });
});

describe('forms', () => {
  it('are refused without the token of their session, or with that of another', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    const other = await signedInVisitor(here, here.ownerToken);
    const theirs = /name="csrf" value="([^"]+)"/.exec((await other.get('/')).text)?.[1] ?? '';
    for (const csrf of ['', 'x', theirs]) {
      expect((await browser.post('/guide/samples', { csrf })).status).toBe(403);
    }
    expect((await here.box.as('owner').list({})).total).toBe(0);
  });

  it('are refused from another site, and from whoever does not say where from', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    for (const origin of ['https://elsewhere.example', 'null', '']) {
      expect((await browser.post('/guide/samples', {}, { origin })).status).toBe(403);
    }
  });

  it('send their reader to paths of this site only', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    for (const back of ['//elsewhere.example', 'https://elsewhere.example', '/\\elsewhere.example', '']) {
      const answer = await browser.post('/language', { language: 'ja', back });
      expect([back, answer.headers.get('location')]).toEqual([back, '/']);
    }
  });
});

describe('a form that comes from nobody who is signed in', () => {
  const typed = {
    csrf: 'of a session that has ended',
    key: 'k-1',
    decision: 'approve',
    reason: 'Typed with\ncare <b>',
  };

  it('is kept on the sign-in page, and offered to be sent again by whoever then signs in', async () => {
    const browser = visitor(here.url);
    const door = await browser.post('/gates/g-1', typed);
    expect(door.status).toBe(401);
    expect(door.text).toContain('Typed with\ncare &lt;b&gt;');
    expect(door.text).not.toContain(typed.csrf);
    const { unsent = '' } = formOf(door.text, '/sign-in');
    const carried = unsent.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    const wrong = await browser.post('/sign-in', { token: 'sbx_wrong', unsent: carried });
    expect([wrong.status, wrong.text.includes('Typed with')]).toEqual([401, true]);
    const again = await browser.post('/sign-in', { token: here.ownerToken, unsent: carried });
    expect([again.status, again.text.includes('action="/gates/g-1"')]).toEqual([200, true]);
    expect(formOf(again.text, '/gates/g-1')).toMatchObject({ key: 'k-1', decision: 'approve' });
    expect(formOf(again.text, '/gates/g-1')['csrf']).toBeTruthy();
    const elsewhere = await browser.post('/send-again', { unsent: carried });
    expect(elsewhere.text).toContain('Typed with');
  });

  it('is kept too when its reader has signed in anew meanwhile, and is not taken by itself', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    const answer = await browser.post('/people', { ...typed, name: 'nobody-yet', role: 'worker' });
    expect([answer.status, answer.text.includes('Typed with\ncare &lt;b&gt;')]).toEqual([403, true]);
    const names = (await here.box.as('owner').listPrincipals()).map(({ name }) => name);
    expect(names).not.toContain('nobody-yet');
  });

  it('is kept only where our own pages sent it, and leads nowhere else', async () => {
    const stranger = visitor(here.url);
    const foreign = await stranger.post('/gates/g-1', typed, { origin: 'https://elsewhere.example' });
    expect([foreign.status, foreign.headers.get('location')]).toEqual([303, '/sign-in']);
    for (const unsent of [
      JSON.stringify({ path: 'https://elsewhere.example', fields: [] }),
      JSON.stringify({ path: '//elsewhere.example', fields: [] }),
    ]) {
      const answer = await stranger.post('/sign-in', { token: here.ownerToken, unsent });
      expect(answer.text).toContain('<form method="post" action="/" class="panel">');
    }
    for (const unsent of ['', 'x', '{}', '{"path":1,"fields":[]}', '{"path":"/x","fields":[["a"]]}']) {
      const answer = await stranger.post('/sign-in', { token: here.ownerToken, unsent });
      expect([unsent, answer.status, answer.headers.get('location')]).toEqual([unsent, 303, '/']);
    }
  });
});

describe('every page', () => {
  it('allows nothing to run but files of this server', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    for (const path of ['/', '/gates', '/reviews', '/gates/none', '/sign-in']) {
      const { headers, text } = await browser.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/i);
    }
  });

  it('speaks the language that the browser asks for, until its reader chooses another', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    expect((await browser.get('/', { 'accept-language': 'ja,en;q=0.5' })).text).toContain('<html lang="ja">');
    expect((await browser.get('/', { 'accept-language': 'fr' })).text).toContain('<html lang="en">');
    const chosen = await browser.post('/language', { language: 'ja', back: '/gates' });
    expect(chosen.headers.get('location')).toBe('/gates');
    expect((await browser.get('/', { 'accept-language': 'en' })).text).toContain('<html lang="ja">');
  });
});
