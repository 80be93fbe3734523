import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { readRun, resumeOf } from '../../core/langgraph-run.js';
import { spelled } from '../../core/plain-json.js';
import { Refusal, invalid } from '../../core/refusals.js';
import { doorFor } from '../../operations/door.js';
import { threadRun, threadRuns, threadState, threadWork } from '../../operations/threads.js';
import { optionsOf } from '../http/caller.js';
import { readJson } from '../http/request-body.js';
import { answerWith, type Taken } from './answer.js';
import type { LangGraphEnv } from './env.js';
import { GRAPH_ID, interruptsOf, runShape, valuesShape } from './shapes.js';

/** What LangGraph's own server offers around a run and a desk does not: it would act later, or call somebody. */
const NOT_OFFERED = ['webhook', 'after_seconds', 'interrupt_before', 'interrupt_after'] as const;

/** Runs: each is the answer to a thread's wait, and its receipt. */
export function runRoutes(app: Hono<LangGraphEnv>): void {
  app.post('/threads/:threadId/runs', async (c) => {
    const { taken } = await take(c);
    return located(c, Response.json(runShape(threadOf(c), taken.receipt)), taken);
  });
  app.post('/threads/:threadId/runs/wait', async (c) => {
    const { taken } = await take(c);
    return located(c, Response.json(await valuesNow(c)), taken);
  });
  app.post('/threads/:threadId/runs/stream', async (c) => {
    const { taken, body } = await take(c);
    return located(c, await streamed(c, taken.receipt.receiptId, modesOf(body['stream_mode'])), taken);
  });
  app.get('/threads/:threadId/runs', async (c) => {
    const { desk, who } = c.var;
    const runs = await threadRuns(desk, who, threadOf(c));
    const offset = wholeOf(c.req.query('offset'), 0);
    const limit = wholeOf(c.req.query('limit'), 10);
    return c.json(runs.slice(offset, offset + limit).map((receipt) => runShape(threadOf(c), receipt)));
  });
  app.get('/threads/:threadId/runs/:runId', async (c) => {
    const receipt = await threadRun(c.var.desk, c.var.who, threadOf(c), c.req.param('runId'));
    return c.json(runShape(threadOf(c), receipt));
  });
  app.get('/threads/:threadId/runs/:runId/join', async (c) => {
    await threadRun(c.var.desk, c.var.who, threadOf(c), c.req.param('runId'));
    return c.json(await valuesNow(c));
  });
  app.get('/threads/:threadId/runs/:runId/stream', async (c) => {
    const { receiptId } = await threadRun(c.var.desk, c.var.who, threadOf(c), c.req.param('runId'));
    return await streamed(c, receiptId, modesOf(c.req.queries('stream_mode')));
  });
  const standing = (): never => {
    throw new Refusal('ACTION_NOT_ALLOWED', 'an accepted answer stands: it is neither cancelled nor deleted');
  };
  app.post('/threads/:threadId/runs/:runId/cancel', standing);
  app.delete('/threads/:threadId/runs/:runId', standing);
  const threadless = (): never => {
    throw new Refusal(
      'ACTION_NOT_ALLOWED',
      'works are registered with POST /v1/works; a run answers one thread',
    );
  };
  for (const path of ['/runs', '/runs/wait', '/runs/stream', '/runs/batch', '/runs/cancel', '/runs/crons'])
    app.post(path, threadless);
}

const threadOf = (c: Context<LangGraphEnv>): string => c.req.param('threadId') ?? '';

/** The one way in: the thread's work must be the caller's to see, the payload an answer, and the guard must accept it. */
async function take(c: Context<LangGraphEnv>): Promise<{ taken: Taken; body: Record<string, unknown> }> {
  const { desk, who } = c.var;
  const thread = await threadWork(desk, who, threadOf(c));
  const body = objectOf(await readJson(c.req.raw));
  if (body['assistant_id'] !== GRAPH_ID)
    throw new Refusal('NOT_FOUND', `no assistant ${spelled(body['assistant_id'])}; there is ${GRAPH_ID}`);
  for (const field of NOT_OFFERED) {
    const value = body[field];
    const absent = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!absent) throw invalid(`/${field}`, 'is not offered here');
  }
  try {
    const resume = resumeOf(readRun(body), thread.checkpointId);
    const options = optionsOf(c.req.raw.headers, undefined);
    return { taken: await answerWith(doorFor(desk, who), thread, resume, options), body };
  } catch (error) {
    // What was no submission could not be recorded on the work, but its sender still learns what is current.
    if (error instanceof Refusal && error.details.current === undefined)
      throw new Refusal(error.code, error.detail, { ...error.details, current: thread.current });
    throw error;
  }
}

async function valuesNow(c: Context<LangGraphEnv>): Promise<Record<string, unknown>> {
  return valuesShape(await threadState(c.var.desk, c.var.who, threadOf(c)));
}

/** Every answer is durable before a stream begins, so it has no more to tell than where the thread stands now. */
async function streamed(
  c: Context<LangGraphEnv>,
  runId: string,
  modes: readonly string[],
): Promise<Response> {
  const state = await threadState(c.var.desk, c.var.who, threadOf(c));
  const values = valuesShape(state);
  const events: { event: string; data: unknown }[] = [
    { event: 'metadata', data: { run_id: runId, thread_id: threadOf(c), attempt: 1 } },
  ];
  if (modes.includes('updates')) {
    const interrupts = interruptsOf(state);
    events.push({ event: 'updates', data: { [GRAPH_ID]: state.values as unknown } });
    if (interrupts.length > 0) events.push({ event: 'updates', data: { __interrupt__: interrupts } });
  }
  if (modes.includes('values')) events.push({ event: 'values', data: values });
  return streamSSE(c, async (stream) => {
    for (const [index, { event, data }] of events.entries())
      await stream.writeSSE({ id: String(index), event, data: JSON.stringify(data) });
  });
}

function located(c: Context<LangGraphEnv>, response: Response, { receipt }: Taken): Response {
  response.headers.set('content-location', `/threads/${threadOf(c)}/runs/${receipt.receiptId}`);
  return response;
}

function modesOf(value: unknown): string[] {
  const modes = [value].flat().filter((mode): mode is string => typeof mode === 'string' && mode !== '');
  return modes.length === 0 ? ['values'] : modes;
}

function wholeOf(text: string | undefined, fallback: number): number {
  const value = Number(text ?? fallback);
  return Number.isInteger(value) && value >= 0 ? value : fallback;
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
