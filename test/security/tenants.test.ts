import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filled } from '../../proof/fuzz/furnish.js';
import { fuzzDesk, type FuzzDesk } from '../../proof/fuzz/fuzz-desk.js';
import { valuesOf } from '../../proof/fuzz/schema-values.js';
import { openSession } from '../../src/operations/sessions.js';
import { ROUTES } from '../../src/surfaces/http/routes.js';

let desk: FuzzDesk;
/** An owner of another tenant: there is no role that could do more. */
let stranger: string;
let before: string;
beforeAll(async () => {
  desk = await fuzzDesk();
  const founded = await desk.box
    .as('owner')
    .putPrincipal({ name: 'stranger', roles: ['owner'], tenant: 'elsewhere' });
  stranger = (founded as { token: string }).token;
  before = await desk.record();
});
afterAll(async () => {
  await desk.prove();
  await desk.close();
});

const ask = async (method: string, path: string, json?: unknown) => {
  const response = await fetch(`${desk.server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${stranger}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: response.status, text: await response.text() };
};

const KEPT: Readonly<Record<string, () => readonly string[]>> = {
  workId: () => desk.furnished.workIds,
  id: () => ['ex-1', desk.furnished.workIds.at(-1) ?? ''],
  sha256: () => desk.furnished.artifacts.slice(0, 1),
  name: () => ['spare'],
  operationId: () => ['op-1'],
};

describe('IDs of another tenant', () => {
  const withIds = ROUTES.filter(
    ({ path, operation }) => path.includes('{') && !['rules', 'revokeToken'].includes(operation),
  );
  it.each(withIds.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
    '%s: they do not exist, whatever else the request gets right',
    async (_name, route) => {
      const body = typeof route.body === 'object' ? valuesOf(route.body) : fc.constant({});
      const [, variable = ''] = /\{(\w+)\}/.exec(route.path) ?? [];
      for (const id of KEPT[variable]?.() ?? []) {
        const path = route.path
          .replace(`{${variable}}`, encodeURIComponent(id))
          .replaceAll(/\{(\w+)\}/g, (_all, name: string) => KEPT[name]?.()[0] ?? 'x');
        const [given] = fc.sample(body, { numRuns: 1, seed: 3 });
        const right = await filled(desk.box, desk.furnished, JSON.stringify(given), id);
        const { to: _to, ...rest } = JSON.parse(right) as Record<string, unknown>;
        const json = route.method === 'get' ? undefined : rest;
        const answer = await ask(route.method.toUpperCase(), path, json);
        expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('NOT_FOUND')]);
      }
      expect(await desk.record()).toBe(before);
    },
  );

  it('a token of another tenant cannot be revoked', async () => {
    const [token] = await desk.box.as('owner').listTokens();
    expect((await ask('DELETE', `/v1/tokens/${token?.tokenId}`)).status).toBe(404);
    expect(await desk.record()).toBe(before);
  });

  it('lists, counts, reports and metrics hold nothing of it', async () => {
    const lists = ROUTES.filter(
      ({ method, path, operation }) => method === 'get' && !path.includes('{') && operation !== 'events',
    );
    for (const path of [...lists.map((route) => route.path), '/v1/stats?by=holder', '/metrics']) {
      const answer = await ask('GET', path);
      expect([path, answer.status]).toEqual([path, 200]);
      for (const name of ['in-review', 'discovered', 'rita', 'otto', 'ex-1', 'exception-case-'])
        expect([path, answer.text.includes(name)]).toEqual([path, false]);
    }
  });

  it('threads of LangGraph’s API do not exist', async () => {
    for (const id of desk.furnished.threadIds) {
      for (const path of ['', '/state', '/history', '/runs']) {
        expect((await ask('GET', `/langgraph/threads/${id}${path}`)).status).toBe(404);
      }
      const resume = { assistant_id: 'signalbox', command: { resume: { action: 'promote' } } };
      expect((await ask('POST', `/langgraph/threads/${id}/runs`, resume)).status).toBe(404);
    }
    expect((await ask('POST', '/langgraph/threads/search', {})).text).toBe('[]');
    expect(await desk.record()).toBe(before);
  });

  it('pages of the cockpit show nothing of it', async () => {
    const secret = await openSession(desk.box.desk, { tenant: 'elsewhere', principal: 'stranger' });
    const cookie = `signalbox_session_${new URL(desk.server.url).port}=${secret}`;
    for (const id of desk.furnished.workIds) {
      for (const page of ['works', 'gates', 'reviews']) {
        const response = await fetch(`${desk.server.url}/${page}/${id}`, { headers: { cookie } });
        expect(response.status).toBe(404);
      }
    }
    const board = await fetch(`${desk.server.url}/`, { headers: { cookie } });
    expect(await board.text()).not.toContain('in-review');
  });

  it('an artifact of another tenant cannot be taken as a result, nor a work as a blocker', async () => {
    await ask('POST', '/v1/works', { workId: 'own', input: 1 });
    await ask('POST', '/v1/works/own/promote', { reason: 'go' });
    const claimed = JSON.parse((await ask('POST', '/v1/works/own/claim', {})).text) as {
      claim: { interruptId: string };
    };
    const answer = await ask('POST', '/v1/works/own/submit', {
      interruptId: claimed.claim.interruptId,
      inputVersion: 1,
      artifact: { sha256: desk.furnished.artifacts[0] },
    });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('ARTIFACT_UNKNOWN')]);
  });
});
