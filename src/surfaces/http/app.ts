import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { Refusal } from '../../core/refusals.js';
import type { Desk } from '../../operations/desk.js';
import { doorFor } from '../../operations/door.js';
import { authenticate } from '../../operations/tokens.js';
import type { AppEnv, AppOptions } from './app-options.js';
import { bearerToken, optionsOf } from './caller.js';
import { Entrance } from './entrance.js';
import { hostCheck } from './host-check.js';
import { errorFields, type ServerLog } from './log.js';
import { metricsRoute } from './metrics.js';
import { openApiDocument } from './openapi.js';
import { internalProblem, methodProblem, problemResponse, refusalResponse } from './problem.js';
import { probeRoutes } from './probes.js';
import { readJson } from './request-body.js';
import type { Call, Route } from './route.js';
import { ROUTES } from './routes.js';
import { OpenStreams } from './streams.js';

const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** The HTTP surface of a desk. Other surfaces (cockpit, MCP, LangGraph) mount themselves on what this gives. */
export function httpApp(desk: Desk, options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const entrance = new Entrance(desk, options.allowance, options.failures);
  const streams = new OpenStreams(options.closing);
  app.use(async (c, next) => {
    const given = c.req.header('x-request-id') ?? '';
    c.set('requestId', REQUEST_ID.test(given) ? given : randomUUID());
    c.set('entrance', entrance);
    await next();
    c.res.headers.set('x-request-id', c.get('requestId'));
    c.res.headers.set('x-content-type-options', 'nosniff');
  });
  if (options.loopbackOnly) app.use(hostCheck);
  probeRoutes(app, desk, options);
  metricsRoute(app, desk);
  const document = JSON.stringify(openApiDocument(ROUTES, options.version));
  app.get('/openapi.json', (c) => c.body(document, 200, { 'content-type': 'application/json' }));
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) =>
      serve(c, route, desk, options.log, streams),
    );
  }
  // Whoever is not let in learns nothing of what exists, so the token comes before 404 and 405.
  app.all('/v1/*', async (c) => {
    await entrance.requireToken(c, bearerToken(c.req.raw.headers));
    return nothingHere(c);
  });
  app.notFound((c) => nothingHere(c));
  app.onError((error, c) => failed(error, c, options.log));
  return app;
}

async function serve(
  c: Context<AppEnv>,
  route: Route,
  desk: Desk,
  log: ServerLog,
  streams: OpenStreams,
): Promise<Response> {
  const request = c.req.raw;
  const token = bearerToken(request.headers);
  const { who, leave: done } = await c.get('entrance').letIn(c, token);
  let stream: AbortController | undefined;
  const leave = (): void => {
    if (stream) streams.release(stream);
    done();
  };
  try {
    const { wait_ms, ...query } = queryOf(c.req.queries());
    const takesJson = typeof route.body === 'object';
    const call: Call = {
      desk,
      who,
      door: doorFor(desk, who),
      param: (name) => c.req.param(name) ?? '',
      query,
      body: takesJson ? await readJson(request) : undefined,
      options: optionsOf(request.headers, wait_ms),
      request,
      // Only answers that go on for long ask for it; all others are spared its cost.
      get signal() {
        return (stream ??= streams.hold(request)).signal;
      },
      stillAllowed: async (once) => {
        await once(`token ${token}`, () => authenticate(desk, token));
      },
      report: (error) => {
        log.error('an answer broke off', {
          requestId: c.get('requestId'),
          operation: route.operation,
          ...errorFields(error),
        });
      },
    };
    const answer = await route.handle(call);
    if (answer instanceof Response && c.req.method === 'HEAD') {
      // Nobody will read this body, so nobody would end it.
      await answer.body?.cancel();
      leave();
      return new Response(null, answer);
    }
    if (answer instanceof Response) return whenDone(answer, leave);
    leave();
    return Response.json(answer.body, {
      status: answer.status,
      headers: { 'cache-control': 'no-store' },
    });
  } catch (error) {
    leave();
    throw error;
  }
}

/** A streamed answer runs until its last byte is taken or its reader is gone. */
function whenDone(response: Response, leave: () => void): Response {
  if (response.body === null) {
    leave();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await reader.read();
        if (!part.done) return controller.enqueue(part.value as Uint8Array);
        leave();
        controller.close();
      } catch (error) {
        leave();
        controller.error(error);
      }
    },
    async cancel(reason) {
      leave();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function failed(error: Error, c: Context<AppEnv>, log: ServerLog): Response {
  if (error instanceof Refusal) return refusalResponse(error);
  const requestId = c.get('requestId');
  const fields = { requestId, method: c.req.method, path: c.req.path };
  if (c.req.raw.signal.aborted) log.info('a caller went away', fields);
  else log.error('a request failed', { ...fields, ...errorFields(error) });
  return problemResponse(internalProblem(requestId));
}

function nothingHere(c: Context<AppEnv>): Response {
  const allowed = ROUTES.filter((route) => matches(route.path, c.req.path)).map((route) =>
    route.method.toUpperCase(),
  );
  if (allowed.length === 0)
    return refusalResponse(new Refusal('NOT_FOUND', `nothing at ${c.req.path.slice(0, 200)}`));
  return problemResponse(methodProblem(c.req.method, allowed), { allow: allowed.join(', ') });
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  );
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Values as strings, several of one name as an array. */
function queryOf(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}
