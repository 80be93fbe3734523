import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayCall, targetOf } from '../../src/core/case.js';
import { resolveCases } from '../../src/kinds/case-config.js';
import { isPublic, publicLookup } from '../../src/delivery/public-address.js';
import { statusOf } from '../../src/delivery/status-of.js';

let inner: Server;
let port: number;
const asked: string[] = [];
beforeAll(async () => {
  inner = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/away') response.writeHead(302, { location: '/inside' });
    response.end('secret');
  });
  await new Promise<void>((resolve) => {
    inner.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = inner.address() as AddressInfo);
});
afterAll(() => inner.close());

const soon = () => AbortSignal.timeout(10_000);

describe('a call-back that a sender asks for', () => {
  it.each([
    'http://allowed.example.evil.test/hook',
    'http://allowed.example@evil.test/hook',
    'http://allowed.example:81/hook',
    'https://allowed.example/hook',
    'http://allowed.example/hook/../admin',
    'http://allowed.example/hook/%2e%2e/admin',
    'http://allowed.example/hooks',
    'http://allowed.example/hook/..%2fok',
    'http://allowed.example/hook/a/..%2F..%2Fok',
    'http://allowed.example/hook/%2e%2e%2fok',
    'http://allowed.example/hook/..%5cok',
    'http://allowed.example/hook/..%252fok',
    'http://allowed.example/hook/..;/ok',
    'http://allowed.example/hook/..;a=b%2fok',
    'http://allowed.example/hook/%25zz/..%252fok',
    'file:///etc/passwd',
    'http://169.254.169.254/latest/meta-data',
    '//allowed.example/hook',
    'nonsense',
  ])('goes nowhere but where the project allows: %s', (url) => {
    expect(mayCall(['http://allowed.example/hook'], url)).toBe(false);
  });

  it.each([
    'http://allowed.example/hook',
    'http://allowed.example/hook/run-1?a=../b',
    'http://allowed.example/hook/a%2Fb/..c/d..;e',
    'http://allowed.example/hook/%E8%AB%8B/100%25',
  ])('may go to what the project allows, and below: %s', (url) => {
    expect(mayCall(['http://allowed.example/hook'], url)).toBe(true);
  });

  it('has to lead outside by its name, unless the project says otherwise or allows an address itself', () => {
    const target = (allow: string, callbackUrl: string, privateNetworks = false) =>
      targetOf(resolveCases({ webhooks: { allow: [allow], secretEnv: 'S', privateNetworks } }), {
        system: 'x',
        runId: 'r',
        callbackUrl,
      });
    const named = 'http://partner.example/';
    expect(target(named, `${named}cb`)).toMatchObject({ type: 'webhook', publicOnly: true });
    expect(target(named, `${named}cb`, true)).toMatchObject({ publicOnly: false });
    expect(target('http://10.0.0.8/', 'http://10.0.0.8/cb')).toMatchObject({ publicOnly: false });
    expect(target(named, 'http://10.0.0.8/cb')).toBeNull();
  });

  it('is not sent where the name leads to this machine, whose server is then never asked', async () => {
    const to = { method: 'POST' as const, url: `http://localhost:${port}/named`, body: '{}', signal: soon() };
    await expect(statusOf({ ...to, publicOnly: true })).rejects.toThrow('leads to an inner address');
    expect(asked).not.toContain('/named');
    expect(await statusOf(to)).toBe(200);
  });

  it('does not follow a redirect: it would lead past all this', async () => {
    const signal = soon();
    expect(await statusOf({ method: 'POST', url: `http://127.0.0.1:${port}/away`, body: '{}', signal })).toBe(
      302,
    );
    expect(asked).not.toContain('/inside');
  });
});

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    'fd00::1',
    'fe80::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '64:ff9b:1:fffe::',
    '2002:7f00:1::1',
    '2002:a9fe:a9fe::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '::127.0.0.1',
    '::10.0.0.1',
    '::ffff:0:127.0.0.1',
    'fec0::1',
    'fe80::1%lo',
    '100::1',
    '4000::1',
    '192.0.2.1',
    'nonsense',
  ])('%s is an inner one', (address) => expect(isPublic(address)).toBe(false));

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001::',
    '::ffff:8.8.8.8',
  ])('%s is not', (address) => expect(isPublic(address)).toBe(true));

  it('are checked in the look-up of the connection itself, in both forms that Node asks in', async () => {
    const look = (all: boolean) =>
      new Promise((resolve) => {
        const done: Parameters<LookupFunction>[2] = (error, found) => resolve(error?.message ?? found);
        publicLookup('localhost', { all }, done);
      });
    expect(await look(true)).toContain('inner address');
    expect(await look(false)).toContain('inner address');
  });
});
