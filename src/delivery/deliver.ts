import { settle, takeDue, type Delivery, type Told } from '../operations/cases/outbox.js';
import { runCaseTimers } from '../operations/cases/timers.js';
import type { Desk } from '../operations/desk.js';
import { tellThread } from './langgraph-thread.js';
import { tellWork } from './own-work.js';
import { tellWebhook, type Surroundings } from './webhook.js';

const NEVER = new AbortController().signal;

async function tell(desk: Desk, delivery: Delivery, surroundings: Surroundings): Promise<Told> {
  const { target } = delivery;
  switch (target?.type) {
    case 'webhook':
      return await tellWebhook(delivery, target, surroundings);
    case 'langgraph':
      return await tellThread(delivery, target, surroundings);
    case 'work':
      return await tellWork(desk, delivery);
    case 'poll':
      return { outcome: 'failed', error: 'this origin reads its decisions itself' };
    case undefined:
      return { outcome: 'failed', error: 'this desk does not allow the call-back of this case (any more)' };
  }
}

/**
 * One pass of the outbox: tells what is due and writes down what came of it. A crash anywhere leaves the decision
 * saved and its delivery to be taken up again, under the same ID.
 * @returns how many deliveries it tried
 */
export async function deliverDue(
  desk: Desk,
  env: NodeJS.ProcessEnv = process.env,
  closing: AbortSignal = NEVER,
): Promise<number> {
  const due = await takeDue(desk);
  await Promise.all(
    due.map(async (delivery) => {
      const told = await tell(desk, delivery, { env, closing }).catch((error: unknown): Told => ({
        outcome: 'unknown',
        error: String(error),
      }));
      await settle(desk, delivery, told);
    }),
  );
  return due.length;
}

/** One pass of everything that goes on by itself around cases. */
export async function deliveryPass(
  desk: Desk,
  env: NodeJS.ProcessEnv = process.env,
  closing: AbortSignal = NEVER,
): Promise<void> {
  await runCaseTimers(desk);
  while (!closing.aborted && (await deliverDue(desk, env, closing)) > 0);
}
