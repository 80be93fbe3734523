import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@langchain/langgraph-sdk';
import type { OriginTarget } from '../core/case.js';
import { LIMITS } from '../core/limits.js';
import type { Delivery, Told } from '../operations/cases/outbox.js';
import { fault, type Surroundings } from './webhook.js';

type ThreadTarget = Extract<OriginTarget, { type: 'langgraph' }>;

/** How often the thread is looked at while its run takes the answer. */
const LOOK_ms = 250;

/**
 * Resumes a LangGraph thread, by thread ID and interrupt ID. The thread is always asked first: an interrupt that it
 * no longer has was answered, and one it still has was not, whatever became of our earlier tries. A resume addressed
 * to an unknown interrupt would be ignored in silence and look like success.
 */
export async function tellThread(
  { row, origin, payload, mayHaveIt }: Delivery,
  target: ThreadTarget,
  { env, closing }: Surroundings,
): Promise<Told> {
  const { threadId, interruptId } = origin;
  if (threadId === undefined || interruptId === undefined)
    return { outcome: 'gone', error: 'the exception named no threadId and interruptId to resume' };
  const apiKey = target.apiKeyEnv === null ? undefined : env[target.apiKeyEnv];
  if (target.apiKeyEnv !== null && !apiKey)
    return { outcome: 'not_ready', error: `${target.apiKeyEnv} is not set, so the thread cannot be reached` };
  // Loaded by the first desk that has such an origin: it takes as long as all the rest of a command.
  const sdk = await import('@langchain/langgraph-sdk');
  const client = new sdk.Client({
    apiUrl: target.url,
    // null keeps the SDK from looking for keys in variables that were not meant for this server.
    apiKey: apiKey ?? null,
    // Our own tries are counted and kept; hidden ones would not be.
    callerOptions: { maxRetries: 0 },
    timeoutMs: LIMITS.deliveryTimeout_ms,
  });
  const taken: Told = {
    outcome: 'taken',
    externalId: row.delivery_id,
    evidence: `thread ${threadId} went on`,
  };
  try {
    const before = await look(client, threadId, interruptId);
    if (before === 'busy') return { outcome: 'unknown', error: 'the thread is running' };
    if (before === 'gone')
      return mayHaveIt
        ? taken
        : {
            outcome: 'gone',
            error: 'the thread does not wait for this interrupt: it was answered elsewhere',
          };
    await client.runs.create(threadId, target.assistant, {
      command: { resume: { [interruptId]: payload } },
      metadata: { decisionId: row.delivery_id },
      multitaskStrategy: 'reject',
    });
    const until = Date.now() + LIMITS.deliveryTimeout_ms;
    while (Date.now() < until) {
      await sleep(LOOK_ms, undefined, { signal: closing });
      if ((await look(client, threadId, interruptId)) === 'gone') return taken;
    }
    return { outcome: 'unknown', error: 'the thread was resumed and has not gone on yet' };
  } catch (error) {
    const { status } = error as { status?: unknown };
    if (typeof status === 'number' && status < 500)
      return { outcome: 'failed', error: `LangGraph answered ${status}: ${(error as Error).message}` };
    return fault(error);
  }
}

async function look(
  client: Client,
  threadId: string,
  interruptId: string,
): Promise<'waits' | 'gone' | 'busy'> {
  const { status } = await client.threads.get(threadId);
  if (status === 'busy') return 'busy';
  const { tasks } = await client.threads.getState(threadId);
  const waits = tasks.some((task) => task.interrupts.some(({ id }) => id === interruptId));
  return waits ? 'waits' : 'gone';
}
