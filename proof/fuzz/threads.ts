import fc from 'fast-check';
import { filled } from './furnish.js';
import type { FuzzDesk } from './fuzz-desk.js';
import { hostileBytes, hostileText, hostileValue } from './hostile.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { requireProper } from './judge.js';
import { bodies } from './mutations.js';
import { send, sendBytes } from './send.js';

const PATHS = [
  'GET /ok',
  'GET /info',
  'POST /threads',
  'POST /threads/search',
  'POST /threads/count',
  'POST /threads/prune',
  'GET /threads/:id',
  'PATCH /threads/:id',
  'DELETE /threads/:id',
  'GET /threads/:id/state',
  'POST /threads/:id/state',
  'POST /threads/:id/state/checkpoint',
  'GET /threads/:id/history',
  'POST /threads/:id/history',
  'GET /threads/:id/runs',
  'POST /threads/:id/runs',
  'POST /threads/:id/runs/wait',
  'POST /threads/:id/runs/stream',
  'POST /threads/:id/copy',
  'POST /runs',
  'GET /assistants',
];

const answer = fc.record(
  {
    action: fc.constantFrom(
      'promote',
      'claim',
      'result',
      'review',
      'decide',
      'complete',
      'hold',
      'correct',
      'nonsense',
    ),
    verdict: fc.constantFrom('PASS', 'REWORK'),
    evidenceRef: fc.constant('log:1'),
    reason: fc.string({ maxLength: 20 }),
    inputVersion: fc.constant('@version'),
    artifactSha256: fc.constant('@artifact'),
    waitId: fc.oneof(fc.constant('@wait'), hostileText),
  },
  { requiredKeys: [] },
);

const run = fc.record(
  {
    assistant_id: fc.constantFrom('signalbox', 'signalbox', 'other'),
    command: fc.record(
      {
        resume: fc.oneof(
          answer,
          fc.tuple(answer).map(([one]) => ({ '@wait': one })),
          hostileValue,
        ),
        goto: hostileValue,
        update: hostileValue,
      },
      { requiredKeys: ['resume'] },
    ),
    input: hostileValue,
    stream_mode: fc.constantFrom<unknown[]>('values', ['updates', 'values'], 7),
    checkpoint_id: hostileText,
    webhook: fc.webUrl(),
    limit: hostileValue,
    before: hostileValue,
    metadata: hostileValue,
    ids: hostileValue,
    status: hostileValue,
    offset: hostileValue,
  },
  { requiredKeys: [] },
);

const requests = fc.record({
  path: fc.constantFrom(...PATHS),
  at: fc.nat({ max: 9 }),
  by: fc.constantFrom('owner', 'ann', 'rita', 'sam'),
  query: fc.oneof(
    fc.constant(''),
    fc.tuple(fc.constantFrom('limit', 'offset', 'before', 'stream_mode'), hostileText),
  ),
  odd: fc.option(hostileText, { freq: 8 }),
  body: bodies(run),
});
type Asked = typeof requests extends fc.Arbitrary<infer T> ? T : never;

/** LangGraph's API over the desk: a resume that is wrong in any way is refused, and changes nothing but history. */
export async function fuzzThreads(options: FuzzOptions): Promise<void> {
  await inBatches(options, requests, ask);
}

async function ask(desk: FuzzDesk, { path, at, by, query, odd, body }: Asked): Promise<void> {
  const { box, furnished, server, dataDir } = desk;
  const [method = '', route = ''] = path.split(' ');
  const encoded = encodeURIComponent(
    (odd ?? furnished.threadIds[at] ?? '').replaceAll(/\p{Surrogate}/gu, '?'),
  );
  const workId = furnished.workIds[at] ?? '';
  const search = query === '' ? '' : `?${new URLSearchParams([[query[0] ?? '', query[1] ?? '']]).toString()}`;
  const before = await desk.record();
  const given = await send(server.url, {
    method,
    path: `/langgraph${route.replace(':id', encoded)}${search}`,
    headers: [
      ['x-api-key', furnished.tokens[by] ?? ''],
      ['content-type', 'application/json'],
    ],
    body: method === 'GET' ? null : await filled(box, furnished, body, workId),
  });
  requireProper(given, { dataDir, problems: true });
  if (given.status >= 400 && (await desk.record()) !== before)
    throw new Error(`${given.status} changed the record: ${given.text.slice(0, 300)}`);
}

const request = fc.tuple(
  fc.constantFrom('GET', 'POST', 'PUT', 'BREW', 'get', ''),
  fc.constantFrom('/v1/works', '/', '*', 'http://[', '//x', '/\\', '/v1/works/%zz', 'x'),
  fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
  fc.array(
    fc.tuple(fc.constantFrom('Host', 'Content-Length', 'Transfer-Encoding', 'X', 'Expect'), hostileText),
    {
      maxLength: 4,
    },
  ),
);

const wire = fc.oneof(
  hostileBytes,
  request.map(
    ([method, target, version, headers]) =>
      new Uint8Array(
        Buffer.from(
          `${method} ${target} ${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
        ),
      ),
  ),
);

/** Bytes that are no HTTP, or nearly: the server says so or hangs up, and goes on. */
export async function fuzzWire(options: FuzzOptions): Promise<void> {
  await inBatches(options, wire, async ({ server, dataDir }, bytes) => {
    const text = await sendBytes(server.url, bytes);
    const [, status] = /^HTTP\/1\.[01] (\d+)/.exec(text) ?? [];
    if (text !== '' && status === undefined) throw new Error(`answers no HTTP: ${text.slice(0, 200)}`);
    const head = { status: Number(status ?? 400), headers: {}, text, took_ms: 0 };
    requireProper(head, { dataDir, problems: false });
  });
}
