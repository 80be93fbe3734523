import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import { show } from '../../operations/read-works.js';
import { parseRequest } from '../../operations/requests.js';
import { findThreads, threadHistory, threadState, threadWork } from '../../operations/threads.js';
import { readJson } from '../http/request-body.js';
import type { LangGraphEnv } from './env.js';
import { GRAPH_ID, stateShape, threadShape } from './shapes.js';
import { objectOf } from './run-routes.js';

const searchRequest = z.strictObject({
  ids: z.array(z.string()).max(LIMITS.page_max).nullish(),
  status: z.enum(['idle', 'busy', 'interrupted', 'error']).nullish(),
  metadata: z
    .strictObject({
      graph_id: z.string().optional(),
      assistant_id: z.string().optional(),
      work_id: z.string().optional(),
      kind: z.string().optional(),
    })
    .nullish(),
  limit: z.number().int().min(1).max(LIMITS.page_max).default(10),
  offset: z.number().int().min(0).default(0),
  // Newest first is the only order; what clients send by default is taken.
  sort_by: z.enum(['created_at']).nullish(),
  sort_order: z.enum(['desc']).nullish(),
  select: z.array(z.string()).nullish(),
});

/** Threads: read only. Every change of one is an answer to its wait. */
export function threadRoutes(app: Hono<LangGraphEnv>): void {
  app.post('/threads/search', async (c) => {
    const { threads, total } = await search(c);
    c.header('x-pagination-total', String(total));
    return c.json(threads.map((thread) => threadShape(thread)));
  });
  app.post('/threads/count', async (c) => c.json((await search(c)).total));
  app.get('/threads/:threadId', async (c) => {
    const { desk, who } = c.var;
    const thread = await threadWork(desk, who, threadOf(c));
    const { input } = await show(desk, who, thread.work.workId);
    return c.json(threadShape(thread, await threadState(desk, who, threadOf(c)), input));
  });
  app.get('/threads/:threadId/state', (c) => state(c));
  app.get('/threads/:threadId/state/:checkpointId', (c) => state(c, c.req.param('checkpointId')));
  app.post('/threads/:threadId/state/checkpoint', async (c) => {
    const { checkpoint } = objectOf(await readJson(c.req.raw));
    const id = objectOf(checkpoint)['checkpoint_id'];
    return await state(c, typeof id === 'string' ? id : undefined);
  });
  app.get('/threads/:threadId/history', (c) =>
    history(c, { limit: Number(c.req.query('limit') ?? 10), before: c.req.query('before') }),
  );
  app.post('/threads/:threadId/history', async (c) => history(c, objectOf(await readJson(c.req.raw))));
  refusedRoutes(app);
}

/** Calls that would move a thread past its waits, or take it away. */
function refusedRoutes(app: Hono<LangGraphEnv>): void {
  const refuse = (detail: string) => async (c: Context<LangGraphEnv>) => {
    // A thread that the caller may not see does not exist, whatever is asked of it.
    const thread =
      c.req.param('threadId') === undefined ? null : await threadWork(c.var.desk, c.var.who, threadOf(c));
    throw new Refusal('ACTION_NOT_ALLOWED', detail, thread ? { current: thread.current } : {});
  };
  const updateState = refuse('updateState would move the work without an answer and kill its wait');
  app.post('/threads', refuse('a thread begins with its work: register it with POST /v1/works'));
  app.post('/threads/:threadId/state', updateState);
  app.patch('/threads/:threadId/state', updateState);
  app.patch('/threads/:threadId', refuse("a thread's metadata is its work's"));
  app.delete('/threads/:threadId', refuse('a work keeps its thread for life; cancel the work instead'));
  app.post('/threads/:threadId/copy', refuse('a work has one thread; a copy would be a second one'));
  app.post('/threads/:threadId/commands', refuse('answers are sent as runs with command.resume'));
  app.post('/threads/prune', refuse('a work keeps its thread for life'));
}

const threadOf = (c: Context<LangGraphEnv>): string => c.req.param('threadId') ?? '';

async function state(c: Context<LangGraphEnv>, checkpointId?: string): Promise<Response> {
  return c.json(stateShape(await threadState(c.var.desk, c.var.who, threadOf(c), checkpointId)));
}

async function history(
  c: Context<LangGraphEnv>,
  { limit = 10, before }: { limit?: unknown; before?: unknown },
): Promise<Response> {
  const configured =
    objectOf(objectOf(before)['configurable'])['checkpoint_id'] ?? objectOf(before)['checkpoint_id'];
  const from = typeof before === 'string' ? before : configured;
  const states = await threadHistory(c.var.desk, c.var.who, threadOf(c), {
    limit: typeof limit === 'object' ? Number.NaN : Number(limit),
    before: typeof from === 'string' ? from : undefined,
  });
  return c.json(states.map(stateShape));
}

async function search(c: Context<LangGraphEnv>) {
  const { metadata, ids, status, limit, offset } = parseRequest(
    searchRequest,
    (await readJson(c.req.raw)) ?? {},
  );
  const { graph_id: graph, assistant_id: assistant, work_id: workId, kind } = metadata ?? {};
  const otherGraph = [graph, assistant].some((id) => id !== undefined && id !== GRAPH_ID);
  return await findThreads(c.var.desk, c.var.who, {
    ids: otherGraph ? [] : (ids ?? undefined),
    status: status ?? undefined,
    workId,
    kind,
    limit,
    offset,
  });
}
