import { Hono } from 'hono';
import { Refusal } from '../../core/refusals.js';
import type { Desk } from '../../operations/desk.js';
import { bearerToken } from '../http/caller.js';
import { entranceOf } from '../http/entrance.js';
import { errorFields, type ServerLog } from '../http/log.js';
import { internalProblem, problemResponse, refusalResponse } from '../http/problem.js';
import { packageVersion } from '../http/version.js';
import type { LangGraphEnv } from './env.js';
import { runRoutes } from './run-routes.js';
import { threadRoutes } from './thread-routes.js';

export interface LangGraphOptions {
  readonly log?: ServerLog;
}

/** What clients ask a LangGraph server for before anything else: which of its features are there. */
const INFO = {
  version: packageVersion(),
  context: 'js',
  flags: { assistants: false, crons: false, langsmith: false, langsmith_tracing_replicas: false },
} as const;

/**
 * LangGraph's API over a desk, for `@langchain/langgraph-sdk` clients: threads are read, a resume is a submission.
 * Same tokens, guard and receipts as every other door. (docs/decisions/0041)
 */
export function langgraphApp(desk: Desk, options: LangGraphOptions = {}): Hono<LangGraphEnv> {
  const app = new Hono<LangGraphEnv>();
  app.get('/ok', (c) => c.json({ ok: true }));
  app.get('/info', (c) => c.json(INFO));
  app.use(async (c, next) => {
    const { headers } = c.req.raw;
    // The SDK's own option for a secret is `apiKey`, which it sends as a header of this name.
    const token = headers.get('x-api-key') ?? bearerToken(headers);
    const { who, leave } = await entranceOf(c, desk).letIn(c, token);
    c.set('desk', desk);
    c.set('who', who);
    try {
      await next();
    } finally {
      leave();
    }
    c.res.headers.set('cache-control', 'no-store');
  });
  threadRoutes(app);
  runRoutes(app);
  app.all('*', (c) => {
    throw new Refusal(
      'NOT_FOUND',
      `LangGraph's ${c.req.method} ${c.req.path.slice(0, 200)} is not offered here`,
    );
  });
  app.onError((error, c) => {
    if (error instanceof Refusal) return refusalResponse(error);
    const requestId = c.res.headers.get('x-request-id') ?? desk.newId();
    options.log?.error('a request failed', { requestId, path: c.req.path, ...errorFields(error) });
    return problemResponse(internalProblem(requestId));
  });
  return app;
}
