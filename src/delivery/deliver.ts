import { setTimeout as sleep } from 'node:timers/promises';
import { originKey, settle, takeDue, type Delivery, type Told } from '../operations/cases/outbox.js';
import { runCaseTimers } from '../operations/cases/timers.js';
import type { Desk } from '../operations/desk.js';
import { tellThread } from './langgraph-thread.js';
import { tellWork } from './own-work.js';
import { Complaints } from '../telemetry/complaints.js';
import { tellWebhook, type Surroundings } from './webhook.js';

const NEVER = new AbortController().signal;

async function tell(desk: Desk, delivery: Delivery, surroundings: Surroundings): Promise<Told> {
  const { row, target, toldAt_ms } = delivery;
  // It has it; only its case could not be completed then.
  if (toldAt_ms !== null)
    return {
      outcome: 'taken',
      externalId: row.delivery_id,
      evidence: `the origin took it at ${new Date(toldAt_ms).toISOString()}`,
    };
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
 * What a process tells: many origins at once, each only so often at a time, so that one that hangs delays nothing but
 * its own decisions. A crash anywhere leaves the decision saved and its delivery to be taken up again, under the same ID.
 */
export class Deliveries {
  private readonly underWay = new Map<string, number>();
  private readonly running = new Set<Promise<void>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly desk: Desk,
    private readonly surroundings: Surroundings,
    readonly complaints: Complaints = new Complaints(),
  ) {}

  /** Begins what is due and has room; does not wait for it. Gives how many it began. */
  begin(): Promise<number> {
    // One look at a time: each has to know what the last has taken.
    const begun = this.last.then(() => this.take());
    this.last = begun.catch(() => undefined);
    return begun;
  }

  /** Resolves when nothing that was begun is under way. */
  async settled(): Promise<void> {
    await this.last;
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private async take(): Promise<number> {
    const { desk, surroundings, underWay } = this;
    if (surroundings.closing.aborted) return 0;
    const due = await takeDue(desk, underWay);
    for (const delivery of due) {
      const key = originKey(delivery.row.tenant, delivery.origin.system);
      underWay.set(key, (underWay.get(key) ?? 0) + 1);
      const telling = this.tellAndSettle(delivery)
        // What could not be written down is taken up again when its time has run out.
        .catch((error: unknown) =>
          this.complaints.of(
            `settling ${key}`,
            'what became of a delivery could not be written down',
            error,
            whose(delivery),
          ),
        )
        .finally(() => {
          const left = (underWay.get(key) ?? 1) - 1;
          if (left === 0) underWay.delete(key);
          else underWay.set(key, left);
          this.running.delete(telling);
        });
      this.running.add(telling);
    }
    return due.length;
  }

  private async tellAndSettle(delivery: Delivery): Promise<void> {
    const told = await tell(this.desk, delivery, this.surroundings).catch((error: unknown): Told => ({
      outcome: 'unknown',
      error: String(error),
    }));
    const { dead } = await settle(this.desk, delivery, told);
    const { tenant } = delivery.row;
    const { system } = delivery.origin;
    const about = `telling ${originKey(tenant, system)}`;
    if (told.outcome === 'taken') this.complaints.over(about);
    else if (!dead)
      this.complaints.of(about, `the origin ${system} could not be told`, told.error, whose(delivery));
    // Each of these waits for a person, so each is said.
    else
      this.complaints.of(
        `letter ${delivery.row.delivery_id}`,
        'a decision went to the dead letters',
        told.error,
        whose(delivery),
      );
  }
}

const whose = ({ row, origin }: Delivery) => ({
  tenant: row.tenant,
  origin: origin.system,
  workId: row.work_id,
  deliveryId: row.delivery_id,
});

/**
 * One pass of the outbox: tells what is due, as far as each origin's part goes, and waits for what came of it.
 * @returns how many deliveries it tried
 */
export async function deliverDue(
  desk: Desk,
  env: NodeJS.ProcessEnv = process.env,
  closing: AbortSignal = NEVER,
): Promise<number> {
  const deliveries = new Deliveries(desk, { env, closing });
  const begun = await deliveries.begin();
  await deliveries.settled();
  return begun;
}

/** Pause between two looks while there is something to tell. */
const BUSY_LOOK_ms = 50;

/** One pass of everything that goes on by itself around cases. Deliveries that take long go on after it. */
export async function deliveryPass(
  desk: Desk,
  deliveries: Deliveries = new Deliveries(desk, { env: process.env, closing: NEVER }),
  closing: AbortSignal = NEVER,
): Promise<void> {
  const { complaints } = deliveries;
  // Neither waits for the other to be well: what cannot be timed must not keep a decision from its origin.
  await complaints.watch('timers of cases', () => runCaseTimers(desk));
  await complaints.watch('deliveries', async () => {
    while (!closing.aborted && (await deliveries.begin()) > 0) await sleep(BUSY_LOOK_ms);
  });
}
