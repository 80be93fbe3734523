import { LIMITS } from '../core/limits.js';
import { findReceipt, findWork } from '../ledger/reads.js';
import { WriteConflict } from '../ledger/record.js';
import type { ReceiptRow, WorkRow } from '../ledger/rows.js';
import { run as change, sql, type Tx } from '../ledger/sql.js';
import { commitApplied, noteApplyFailure, type Applied } from './commit-applied.js';
import type { Appliers, Desk } from './desk.js';

/** Takes the receipt's answer to the thread of this row and tells where it leads. Nothing is written before the commit. */
export type Runner = (row: WorkRow, receipt: ReceiptRow) => Promise<Omit<Applied, 'row' | 'receipt'>>;

/**
 * Brings accepted answers to their threads: resumes the graph with the receipt's answer and commits the new
 * checkpoint, the work's row, its event and the receipt's `applied_at` in one transaction. A crash before that
 * commit leaves the thread where it was, so applying again is applying once.
 */
export class Applier implements Appliers {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly desk: () => Desk,
    private readonly runner: Runner,
  ) {}

  apply(tenant: string, workId: string): Promise<void> {
    const key = JSON.stringify([tenant, workId]);
    const under = this.running.get(key) ?? Promise.resolve();
    // Whoever comes while an apply runs may have brought a newer answer: look again after it.
    const guarded = under.then(() => this.applyNow(tenant, workId));
    const quiet = guarded
      .catch(() => undefined)
      .finally(() => {
        if (this.running.get(key) === quiet) this.running.delete(key);
      });
    this.running.set(key, quiet);
    return guarded;
  }

  /** Resolves when nothing that was begun here is still running. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running.values());
  }

  private async applyNow(tenant: string, workId: string): Promise<void> {
    const { store } = this.desk();
    const pending = await store.read(() => readPending(tenant, workId));
    if (!pending) return;
    const { row, receipt } = pending;
    const keepAlive = setInterval(
      () => void this.extend(row).catch(() => undefined),
      LIMITS.applierLease_ms / 3,
    );
    try {
      await this.resume(row, receipt);
    } catch (error) {
      if (error instanceof WriteConflict) return; // another process was first; its outcome stands
      await store.write(() => noteApplyFailure(row, receipt, error, this.desk().now_ms()));
      throw error;
    } finally {
      clearInterval(keepAlive);
    }
  }

  private async resume(row: WorkRow, receipt: ReceiptRow): Promise<void> {
    const led = await this.runner(row, receipt);
    await this.desk().store.write(() => commitApplied(this.desk(), { row, receipt, ...led }));
  }

  private extend(row: WorkRow): Promise<unknown> {
    const desk = this.desk();
    const until = desk.now_ms() + LIMITS.applierLease_ms;
    return desk.store.write(() =>
      change(
        sql`UPDATE works SET applier_until = ${until} WHERE tenant = ${row.tenant} AND work_id = ${row.work_id} AND applier = ${desk.instance}`,
      ),
    );
  }
}

function* readPending(tenant: string, workId: string): Tx<{ row: WorkRow; receipt: ReceiptRow } | null> {
  const row = yield* findWork(tenant, workId);
  if (!row || row.pending_receipt === null) return null;
  const receipt = yield* findReceipt(row.pending_receipt);
  if (!receipt) throw new Error(`work ${workId} names a receipt that does not exist`);
  return { row, receipt };
}
