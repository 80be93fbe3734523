import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { z } from 'zod';
import type { Route } from '../../src/surfaces/http/route.js';
import { ROUTES } from '../../src/surfaces/http/routes.js';
import { hostileBytes, hostileNumber, hostileText } from './hostile.js';
import { bodies } from './mutations.js';
import { valuesOf } from './schema-values.js';

/** A request to one route, with `@places` still to be filled in. */
export interface RouteRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The work that the path or the body is about. */
  readonly workId: string;
  readonly by: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | null;
  readonly endless: boolean;
}

const WORK_IDS = [
  'discovered',
  'ready',
  'held',
  'in-review',
  'passed',
  'reworked',
  'gated',
  'on-hold',
  'cancelled',
  'absent',
];
const ROLES = ['owner', 'owner', 'ann', 'ann', 'rita', 'otto', 'sam', 'vic'];

const segment = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known) },
    {
      weight: 1,
      arbitrary: hostileText.map((text) => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'))),
    },
    { weight: 1, arbitrary: hostileText },
  );

const PATH_VALUES: Readonly<Record<string, readonly string[]>> = {
  workId: WORK_IDS,
  sha256: ['@artifact', '0'.repeat(64)],
  name: ['spare', 'nobody'],
  tokenId: ['@token'],
  id: ['ex-1', 'absent', '00000000-0000-7000-8000-000000000000'],
  kind: ['generic', 'invoice-check', 'code-change', 'absent'],
  operationId: ['op-1', 'op-2'],
};

function paths(route: Route): fc.Arbitrary<string> {
  const parts = route.path.split('/').map((part) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    return name === undefined ? fc.constant(part) : segment(PATH_VALUES[name] ?? WORK_IDS);
  });
  const whole = fc.tuple(...parts).map((all) => all.join('/'));
  const odd = fc.tuple(whole, hostileText).map(([path, text]) => `${path}/${text}`);
  return fc.oneof({ weight: 20, arbitrary: whole }, { weight: 1, arbitrary: odd });
}

function queries(route: Route): fc.Arbitrary<string> {
  const shape = Object.entries<z.ZodType>(route.query?.shape ?? {});
  const good = shape.map(([name, schema]) =>
    valuesOf(schema).map((value): [string, string] => [name, asText(value)]),
  );
  const bad = fc.tuple(
    fc.oneof(
      hostileText,
      fc.constantFrom('wait_ms', 'limit', 'cursor', 'sort', 'after', ...shape.map(([name]) => name)),
    ),
    fc.oneof(hostileText, hostileNumber.map(String)),
  );
  const pairs = fc.array(good.length === 0 ? bad : fc.oneof(...good, bad), { maxLength: 4 });
  const text = pairs.map((each) => each.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
  const query = fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 1, arbitrary: hostileText.map((raw) => raw.replaceAll('#', '')) },
  );
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: query.map((each) => `?${each}`) },
  );
}

const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const ODD_HEADERS = fc.tuple(
  fc.constantFrom(
    'idempotency-key',
    'x-signalbox-on-behalf-of',
    'x-signalbox-reason',
    'x-request-id',
    'prefer',
    'accept',
    'accept-language',
    'last-event-id',
    'if-none-match',
    'range',
    'cookie',
    'origin',
    'referer',
    'x-forwarded-for',
    'x-http-method-override',
    'content-encoding',
    'content-language',
    'expect-ct',
  ),
  fc.oneof(
    hostileText.map((text) => text.slice(0, 4_000)),
    fc.constantFrom(
      'spare',
      'owner',
      'respond-async',
      'wait=5',
      'text/markdown',
      '*/*',
      'gzip',
      'k-1',
      'k-2',
      '%E0%A4%A',
    ),
  ),
);

function contentType(route: Route): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const usual = route.body === 'ndjson' ? 'application/x-ndjson' : 'application/json';
  const odd = fc.constantFrom(
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/JSON; charset=utf-16',
    '',
    'a/b;',
    '/',
    'multipart/form-data; boundary=x',
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant([['content-type', usual]] as const) },
    { weight: 1, arbitrary: odd.map((type) => [['content-type', type]] as const) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
}

function bodiesOf(route: Route): fc.Arbitrary<string | Uint8Array | null> {
  if (route.body === undefined)
    return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileText });
  if (route.body === 'bytes') return fc.oneof(hostileBytes, hostileText);
  if (route.body === 'ndjson') {
    const register = ROUTES.find(({ operation }) => operation === 'register')?.body;
    const line = bodies(valuesOf(register as z.ZodType));
    return fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
  }
  const text = bodies(valuesOf(route.body));
  const sent: fc.Arbitrary<string | Uint8Array | null> = text;
  return fc.oneof(
    { weight: 12, arbitrary: sent },
    { weight: 1, arbitrary: hostileBytes },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: text.map((each) => new Uint8Array(gzipSync(each))) },
  );
}

/** Requests to one route: good, mutated and garbage in every part. */
export function requestsTo(route: Route): fc.Arbitrary<RouteRequest> {
  return fc
    .record({
      path: paths(route),
      query: queries(route),
      workId: fc.constantFrom(...WORK_IDS),
      by: fc.constantFrom(...ROLES),
      type: contentType(route),
      odd: fc.array(ODD_HEADERS, { maxLength: 2 }),
      body: bodiesOf(route),
    })
    .map(({ path, query, workId, by, type, odd, body }) => ({
      operation: route.operation,
      method: route.method.toUpperCase(),
      path: `${path}${query}`,
      workId: WORK_IDS.find((id) => path.split('/').includes(id)) ?? workId,
      by,
      headers: [...type, ...odd],
      body,
      endless: route.operation === 'events',
    }));
}

export const routeRequests: fc.Arbitrary<RouteRequest> = fc.oneof(...ROUTES.map(requestsTo));
