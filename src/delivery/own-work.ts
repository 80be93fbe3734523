import { Refusal } from '../core/refusals.js';
import type { Desk } from '../operations/desk.js';
import { asDesk } from '../operations/cases/desk-principal.js';
import type { Delivery, Told } from '../operations/cases/outbox.js';
import { unblock } from '../operations/judge.js';
import { show } from '../operations/read-works.js';

/** Tells a work of this desk, which waits BLOCKED for the decision: it goes on where it stopped. */
export async function tellWork(desk: Desk, { row, origin }: Delivery): Promise<Told> {
  const self = await asDesk(desk, row.tenant);
  const evidence = `work ${origin.runId}`;
  try {
    const work = await show(desk, self, origin.runId);
    if (work.status === 'BLOCKED') {
      await unblock(desk, self, origin.runId, {
        interruptId: work.wait?.interruptId,
        reason: `case ${row.work_id} was decided (${row.delivery_id})`,
      });
    }
    // A work that is not blocked does not wait for anything: it finds the decision when it asks for it.
    return { outcome: 'taken', externalId: row.delivery_id, evidence };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'NOT_FOUND') return { outcome: 'gone', error: `there is no work ${origin.runId}` };
    return { outcome: 'failed', error: error.message };
  }
}
