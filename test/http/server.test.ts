import { request as httpRequest } from 'node:http';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerFault, Unreachable, connect } from '../../src/client.js';
import { openSignalbox } from '../../src/index.js';
import { redeemSignInLink } from '../../src/operations/sign-in.js';
import { readServerFile } from '../../src/surfaces/http/server-file.js';
import { ListenError, startServer, type RunningServer } from '../../src/surfaces/http/server.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'signalbox-server-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const log = { error: () => undefined, info: () => undefined };
let now_ms = Date.now();
async function start(
  port = 0,
): Promise<{ box: Awaited<ReturnType<typeof openSignalbox>>; server: RunningServer }> {
  const box = await openSignalbox({ dataDir, host: '127.0.0.1', port, now_ms: () => now_ms });
  return { box, server: await startServer(box, { log }) };
}

describe('starting', () => {
  it('the first start leaves the owner’s token and the address in files only their user can read', async () => {
    const { box, server } = await start();
    const file = join(dataDir, 'owner.token');
    const token = (await readFile(file, 'utf8')).trim();
    expect(token).toBe(box.ownerToken);
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    expect(((await stat(join(dataDir, 'server.json'))).mode & 0o777).toString(8)).toBe('600');
    expect(await readServerFile(dataDir)).toEqual({ url: server.url, pid: process.pid });
    expect((await connect({ url: server.url, token }).list()).total).toBe(0);
    await server.close();
    expect(await readServerFile(dataDir)).toBeNull();
    expect((await readdir(dataDir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('a later start makes no new owner and no sign-in link', async () => {
    const first = await start();
    expect(first.server.signInUrl).toContain(`${first.server.url}/sign-in?code=`);
    await first.server.close();
    const second = await start();
    expect([second.box.ownerToken, second.server.signInUrl]).toEqual([null, null]);
    await second.server.close();
  });

  it('a port that is taken is told with what to do, and leaves the desk open', async () => {
    const { server } = await start();
    const box = await openSignalbox({ dataDir, host: '127.0.0.1', port: Number(new URL(server.url).port) });
    await expect(startServer(box, { log })).rejects.toThrow(ListenError);
    await expect(startServer(box, { log })).rejects.toThrow(/SIGNALBOX_PORT/);
    expect((await box.as('owner').list()).total).toBe(0);
    await box.close();
    await server.close();
  });

  it('a file left by a server that is gone is replaced', async () => {
    await writeFile(join(dataDir, 'server.json'), JSON.stringify({ url: 'http://127.0.0.1:1', pid: 1 }));
    const { server } = await start();
    expect(server.announced).toBe(true);
    expect((await readServerFile(dataDir))?.url).toBe(server.url);
    await server.close();
  });

  it('a second server of the folder leaves the file to the first, which still answers', async () => {
    const first = await start();
    const pretend = JSON.stringify({ url: first.server.url, pid: process.pid });
    expect(await readFile(join(dataDir, 'server.json'), 'utf8')).toBe(`${pretend}\n`);
    const second = await start();
    expect(second.server.announced).toBe(false);
    await second.server.close();
    expect((await readServerFile(dataDir))?.url).toBe(first.server.url);
    await first.server.close();
    expect(await readServerFile(dataDir)).toBeNull();
  });
});

describe('the sign-in link', () => {
  it('signs its principal in once, within its time, and is made for others by owners only', async () => {
    const { box, server } = await start();
    const code = new URL(server.signInUrl ?? '').searchParams.get('code') ?? '';
    expect(await redeemSignInLink(box.desk, code)).toEqual({ tenant: 'default', principal: 'owner' });
    await expect(redeemSignInLink(box.desk, code)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const owner = connect({ url: server.url, token: box.ownerToken ?? '' });
    await owner.putPrincipal({ name: 'wanda', roles: ['worker'] });
    const late = await owner.createSignInLink({ principal: 'wanda' });
    now_ms += 15 * 60_000 + 1;
    await expect(redeemSignInLink(box.desk, late.code)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const other = await owner.createSignInLink({ principal: 'wanda' });
    const both = await Promise.allSettled([
      redeemSignInLink(box.desk, other.code),
      redeemSignInLink(box.desk, other.code),
    ]);
    expect(both.map((each) => each.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { token } = await owner.createToken({ principal: 'wanda' });
    const wanda = connect({ url: server.url, token });
    expect((await wanda.createSignInLink()).principal).toBe('wanda');
    await expect(wanda.createSignInLink({ principal: 'owner' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await server.close();
  });
});

describe('loopback', () => {
  it('takes requests addressed to this machine’s own names and no other', async () => {
    const { server } = await start();
    const { port } = new URL(server.url);
    expect(await statusFor(server.url, `localhost:${port}`)).toBe(200);
    expect(await statusFor(server.url, `127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(server.url, 'evil.example')).toBe(403);
    expect(await statusFor(server.url, `127.0.0.1.evil.example:${port}`)).toBe(403);
    await server.close();
  });
});

function statusFor(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(`${url}/healthz`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('stopping', () => {
  it('finishes what is in flight, ends streams, and turns away what comes later', async () => {
    const { box, server } = await start();
    const owner = connect({ url: server.url, token: box.ownerToken ?? '' });
    await owner.register({ workId: 'w', input: 1 });
    const stream = await fetch(`${server.url}/v1/events`, {
      headers: { authorization: `Bearer ${box.ownerToken}` },
    });
    const inFlight = Array.from({ length: 20 }, (_, index) =>
      owner.register({ workId: `f-${index}`, input: index }),
    );
    await inFlight[0];
    const stopped = server.close();
    const results = await Promise.allSettled(inFlight);
    await stopped;
    await stream.text();
    const acknowledged = results.filter((result) => result.status === 'fulfilled').length;
    await expect(owner.list()).rejects.toBeInstanceOf(Unreachable);
    const again = await start();
    const { total } = await again.box.as('owner').list({ q: 'f-' });
    expect(acknowledged).toBeGreaterThan(0);
    // What was begun was answered; what was not answered was not begun.
    expect(total).toBe(acknowledged);
    const lost = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(lost.every((error) => error instanceof Unreachable)).toBe(true);
    await again.server.close();
  });

  it('may be asked for twice', async () => {
    const { server } = await start();
    await expect(Promise.all([server.close(), server.close()])).resolves.toHaveLength(2);
  });
});

describe('the client', () => {
  it('follows events across a restart of the server, none missing and none twice', async () => {
    const first = await start();
    const port = Number(new URL(first.server.url).port);
    const token = first.box.ownerToken ?? '';
    const ending = new AbortController();
    const seen: number[] = [];
    const events = connect({ url: first.server.url, token }).events({ after: 0 }, { signal: ending.signal });
    const following = (async () => {
      for await (const event of events) {
        seen.push(event.position);
        if (event.workId === 'after' && event.seq === 1) ending.abort();
      }
    })();
    await first.box.as('owner').register({ workId: 'before', input: 1 });
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    await first.server.close();
    const second = await start(port);
    await second.box.as('owner').register({ workId: 'after', input: 2 });
    await following;
    expect(seen).toEqual(seen.map((_, index) => index + (seen[0] ?? 0)));
    await second.server.close();
  });

  it('tells a server that is not there from one that fails', async () => {
    const away = connect({ url: 'http://127.0.0.1:1', token: 'x' });
    await expect(away.list()).rejects.toBeInstanceOf(Unreachable);
    const strange = connect({
      url: 'http://desk.invalid',
      token: 'x',
      fetch: () => Promise.resolve(new Response('<html>', { status: 502 })),
    });
    await expect(strange.list()).rejects.toBeInstanceOf(ServerFault);
    const cut = connect({
      url: 'http://desk.invalid',
      token: 'x',
      fetch: () => Promise.resolve(new Response('{"items":', { status: 200 })),
    });
    await expect(cut.list()).rejects.toBeInstanceOf(Unreachable);
  });
});
