import { sha256 } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import type { Desk } from '../operations/desk.js';
import { asDesk } from '../operations/cases/desk-principal.js';
import type { Delivery, Told } from '../operations/cases/outbox.js';
import { standingOf } from '../operations/cases/own-block.js';
import { unblock } from '../operations/judge.js';
import { note } from '../operations/notes.js';

/**
 * Tells a work of this desk, which waits BLOCKED for the decision: it goes on where it stopped. A block that was set
 * for another reason stays, and the work's history says why.
 */
export async function tellWork(desk: Desk, { row, origin }: Delivery): Promise<Told> {
  const self = await asDesk(desk, row.tenant);
  const work = `work ${origin.runId}`;
  const taken = (evidence: string): Told => ({ outcome: 'taken', externalId: row.delivery_id, evidence });
  const decided = `case ${row.work_id} was decided (${row.delivery_id})`;
  try {
    const standing = await desk.store.read(() => standingOf(row.tenant, row.work_id, origin));
    switch (standing.kind) {
      case 'missing':
        return { outcome: 'gone', error: `there is no ${work}` };
      case 'free':
        return taken(work);
      case 'blocked': {
        const text = `${decided}; the work stays blocked: ${standing.why}`;
        // A try that was cut off after this says the same once.
        await note(desk, self, origin.runId, { text }, { idempotencyKey: `told-${sha256(text)}` });
        return taken(`${work} stays blocked: ${standing.why}`);
      }
      case 'waits':
        await unblock(desk, self, origin.runId, { interruptId: standing.interruptId, reason: decided });
        return taken(work);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { outcome: 'failed', error: error.message };
  }
}
