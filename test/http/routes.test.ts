import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_VERBS } from '../../src/client.js';
import { ROUTES } from '../../src/surfaces/http/routes.js';
import { serving, type Serving } from './serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving();
});
afterAll(() => here.close());

const STREAMING: Record<string, string> = {
  importWorks: 'post /v1/works/import',
  putArtifact: 'put /v1/artifacts',
  getArtifact: 'get /v1/artifacts/{sha256}',
  events: 'get /v1/events',
};

const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, 'some-name');

describe('the route table', () => {
  it('names every route and every operation once', () => {
    const routes = ROUTES.map((route) => `${route.method} ${route.path}`);
    expect(new Set(routes).size).toBe(routes.length);
    expect(new Set(ROUTES.map((route) => route.operation)).size).toBe(ROUTES.length);
  });

  it('has a route for every verb of a door, where the client looks for it', () => {
    const verbs = Object.keys(here.box.as('owner'));
    const routes = Object.fromEntries(
      ROUTES.map((route) => [route.operation, `${route.method} ${route.path}`]),
    );
    const client = Object.fromEntries(
      Object.entries(CLIENT_VERBS).map(([verb, line]) => [
        verb,
        `${line.method.toLowerCase()} /v1${line.path}`,
      ]),
    );
    const wanted: Record<string, string> = { ...client, ...STREAMING };
    expect(Object.keys(wanted).toSorted()).toEqual(verbs.toSorted());
    for (const verb of verbs) expect([verb, routes[verb]]).toEqual([verb, wanted[verb]]);
  });

  it.each(ROUTES.map((route) => [route.method.toUpperCase(), route.path] as const))(
    '%s %s is refused with 401 without a token, with a wrong one, and before its body is looked at',
    async (method, path) => {
      const raw = method === 'GET' || method === 'DELETE' ? {} : { raw: '{broken' };
      for (const token of [null, 'sbx_wrong']) {
        const answer = await here.call(method, filled(path), { token, ...raw });
        expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
      }
    },
  );

  it('answers only health, readiness and the API description without a token', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      expect((await here.call('GET', path, { token: null })).status).toBe(200);
    }
    expect((await here.call('GET', '/v1/no-such-thing', { token: null })).status).toBe(401);
    expect((await here.call('PATCH', '/v1/works', { token: null })).status).toBe(401);
  });
});

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema?: object }> };
  responses: Record<string, { description?: string; $ref?: string }>;
}

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 and lists exactly the routes of the table', async () => {
    const { body } = await here.call('GET', '/openapi.json', { token: null });
    expect(body.openapi).toBe('3.1.0');
    expect(body.info).toMatchObject({ title: 'Signalbox', version: '0.1.0' });
    const listed = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(listed.toSorted()).toEqual(ROUTES.map((route) => `${route.method} ${route.path}`).toSorted());
  });

  it('gives each operation its ID, its path variables, its body and the problem it may answer', async () => {
    const { body } = await here.call('GET', '/openapi.json', { token: null });
    for (const route of ROUTES) {
      const operation = body.paths[route.path][route.method] as Operation;
      expect(operation.operationId).toBe(route.operation);
      const variables = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map((parameter) => parameter.name)).toEqual(variables);
      expect(inPath.every((parameter) => parameter.required)).toBe(true);
      expect(operation.requestBody !== undefined).toBe(route.body !== undefined);
      expect(operation.responses['default']?.$ref).toBe('#/components/responses/Problem');
      const successes = Object.entries(operation.responses).filter(([status]) => status !== 'default');
      expect(successes.length).toBeGreaterThan(0);
      for (const [status, response] of successes) {
        expect(status).toMatch(/^2\d\d$/);
        expect(response.description).toBeTypeOf('string');
      }
    }
  });

  it('refers only to what is in it', async () => {
    const { body } = await here.call('GET', '/openapi.json', { token: null });
    expect(lostReferences(body, body)).toEqual([]);
  });
});

/** References that lead nowhere; a schema with its own `$id` is the root of the references inside it. */
function lostReferences(value: unknown, root: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const base = Object.hasOwn(value, '$id') ? value : root;
  return Object.entries(value).flatMap(([key, member]) => {
    if (key !== '$ref' || typeof member !== 'string') return lostReferences(member, base);
    const target = member
      .slice(2)
      .split('/')
      .reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], base);
    return member.startsWith('#/') && target !== undefined ? [] : [member];
  });
}
