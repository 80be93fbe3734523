import { Client } from '@langchain/langgraph-sdk';
import { Hono } from 'hono';
import { Refusal, REFUSALS } from '../core/refusals.js';
import { isTerminal, type Position } from '../core/work.js';
import { checkRun, type ThreadFacts } from './check-run.js';
import { studioProject } from './project.js';
import { readRequest, type Asked } from './requests.js';
import { ThreadTurns } from './thread-turns.js';

/**
 * What langgraph.json names as `http.app`: stands before every route of the dev server and refuses, before a run
 * exists, what the graph would refuse in the run. There a refusal would leave the thread in status `error`, although
 * its wait still stands; here it is a 409 and the thread stays `interrupted`.
 */
const app = new Hono();
const turns = new ThreadTurns();

app.use(async (c, next) => {
  if (c.req.header('upgrade')?.toLowerCase() === 'websocket')
    return problem(
      new Refusal('ACTION_NOT_ALLOWED', 'answers over a web socket cannot be checked; use HTTP'),
    );
  const hasBody = c.req.method !== 'GET' && c.req.method !== 'HEAD' && c.req.method !== 'OPTIONS';
  const body: unknown = hasBody ? await c.req.json().catch(() => null) : null;
  const asked = readRequest(c.req.method, c.req.path, body);
  try {
    if (asked.does === 'nothing') return await next();
    if (asked.does === 'forbidden') throw new Refusal('ACTION_NOT_ALLOWED', asked.detail);
    return await turns.run(asked.threadId, async () => {
      await check(asked);
      await next();
    });
  } catch (error) {
    if (error instanceof Refusal) return problem(error);
    throw error;
  }
});

async function check(asked: Extract<Asked, { does: 'run' | 'delete' }>): Promise<void> {
  const thread = await factsOf(asked.threadId);
  if (!thread) return; // unknown: the server says so itself, or makes it
  if (asked.does === 'run')
    return checkRun(thread, asRun(asked.payload, thread), (await studioProject()).kinds);
  if (thread.busy || (thread.position !== null && !isTerminal(thread.position.status)))
    throw new Refusal(
      'ACTION_NOT_ALLOWED',
      'this thread has a work that is not done: cancel the work instead',
    );
}

/** `run.start` brings one value for both: a request where nothing is, an answer where something waits. */
function asRun(payload: unknown, thread: ThreadFacts): unknown {
  const { startsOrResumes, ...run } = (payload ?? {}) as Record<string, unknown>;
  return startsOrResumes === true && thread.interruptId !== null && run['input'] != null
    ? { ...run, input: null, command: { resume: run['input'] } }
    : run;
}

/** Reads a thread through the server's own API; null where there is none. */
async function factsOf(threadId: string): Promise<ThreadFacts | null> {
  // Without an address the SDK's client calls the server it runs in, past the network.
  const client = new Client({ apiKey: null, callerOptions: { maxRetries: 0 } });
  const thread = await client.threads.get(threadId).catch(() => null);
  if (!thread) return null;
  const state = await client.threads.getState<{ work?: Position }>(threadId).catch(() => null);
  const interrupts = state?.tasks.flatMap((task) => task.interrupts) ?? [];
  return {
    busy: thread.status === 'busy',
    position: state?.values.work ?? null,
    interruptId: interrupts[0]?.id ?? null,
    headId: state?.checkpoint?.checkpoint_id ?? null,
  };
}

function problem(refusal: Refusal): Response {
  const { code, detail, details } = refusal;
  return Response.json(
    { type: `urn:signalbox:problem:${code}`, ...REFUSALS[code], detail, code, ...details },
    { status: refusal.status, headers: { 'content-type': 'application/problem+json' } },
  );
}

export default app;
