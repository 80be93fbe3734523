import { ROUTES } from '../../src/surfaces/http/routes.js';
import { filled } from './furnish.js';
import type { FuzzDesk } from './fuzz-desk.js';
import { routeRequests, type RouteRequest } from './http-requests.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { requireProper } from './judge.js';
import { send, type WireAnswer } from './send.js';

/** Every route of the table: no fault, no hang, no inside told, and what is refused changes nothing but history. */
export async function fuzzRoutes(options: FuzzOptions): Promise<void> {
  await inBatches(options, routeRequests, tryRoute);
}

/** Its text is stored by hash before the guard is asked, as an upload is; a refusal leaves those bytes and nothing else. */
const STORES_FIRST = new Set(['decideCase']);

async function tryRoute(desk: FuzzDesk, request: RouteRequest): Promise<void> {
  const { box, furnished, server, dataDir } = desk;
  const before = await desk.record();
  const put = (text: string): Promise<string> => filled(box, furnished, text, request.workId);
  const answer = await send(
    server.url,
    {
      method: request.method,
      path: await put(request.path),
      headers: [['authorization', `Bearer ${furnished.tokens[request.by] ?? ''}`], ...request.headers],
      body: typeof request.body === 'string' ? await put(request.body) : request.body,
    },
    request.endless,
  );
  requireProper(answer, { dataDir, problems: true });
  if (answer.status >= 400 && !STORES_FIRST.has(request.operation) && (await desk.record()) !== before)
    throw new Error(`${answer.status} changed the record: ${answer.text.slice(0, 300)}`);
  if (answer.status < 300) requireShape(request, answer);
  if (request.operation === 'setSwitch') await goOn(desk);
}

/** What succeeds has the shape that /openapi.json tells. */
function requireShape(request: RouteRequest, answer: WireAnswer): void {
  const route = ROUTES.find(({ operation }) => operation === request.operation);
  const shape = route?.answers[answer.status];
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
  if (shape === undefined || typeof shape === 'string' || !isJson) return;
  shape.parse(JSON.parse(answer.text));
}

/** A desk whose intake was paused by an input would refuse all that come after. */
async function goOn({ box }: FuzzDesk): Promise<void> {
  for (const name of ['intake', 'claims'])
    await box.as('owner').setSwitch({ switch: name, paused: false, reason: 'go on' });
}
