import { Command } from '@langchain/langgraph';
import type { Answer } from '../core/advance.js';
import { LIMITS } from '../core/limits.js';
import { waitIdOf, type Position } from '../core/work.js';
import type { Verdict } from '../core/verdict.js';
import type { CompiledWorkGraph } from '../graph/graph.js';
import { RUN_TOKEN, type Checkpoints } from '../ledger/checkpoints.js';
import { findReceipt, findWork } from '../ledger/reads.js';
import { WriteConflict } from '../ledger/record.js';
import { positionOf, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import { run as change, sql, type Tx } from '../ledger/sql.js';
import { commitApplied, noteApplyFailure } from './commit-applied.js';
import type { Appliers, Desk } from './desk.js';

interface Ports {
  readonly graph: CompiledWorkGraph;
  readonly checkpoints: Checkpoints;
  /** What VALIDATION found during the run of this thread, for its event. */
  readonly verdictOf: (position: Pick<Position, 'tenant' | 'workId'>) => Verdict | undefined;
}

/**
 * Brings accepted answers to their threads: resumes the graph with the receipt's answer and commits the new
 * checkpoint, the work's row, its event and the receipt's `applied_at` in one transaction. A crash before that
 * commit leaves the thread where it was, so applying again is applying once.
 */
export class Applier implements Appliers {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly desk: () => Desk,
    private readonly ports: Ports,
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
    const { graph, checkpoints, verdictOf } = this.ports;
    // What an earlier, failed run of this thread may have found is not this run's.
    verdictOf({ tenant: row.tenant, workId: row.work_id });
    const token = checkpoints.open();
    try {
      const input = receipt.action === 'register' ? { work: positionOf(row) } : resumeCommand(row, receipt);
      const state = await graph.invoke(input as never, {
        configurable: { thread_id: row.thread_id, [RUN_TOKEN]: token, __pregel_strict_resume: true },
        // The receipt is durable already and replays the answer, so only the state it leads to needs to be written.
        durability: 'exit',
        recursionLimit: 25,
      });
      const position = (state as { work: Position }).work;
      const interrupts = (state as { __interrupt__?: { id?: string }[] }).__interrupt__;
      const captured = await checkpoints.take(token);
      const verdict = verdictOf(position);
      await this.desk().store.write(() =>
        commitApplied(this.desk(), {
          row,
          receipt,
          position,
          interruptId: interrupts?.[0]?.id ?? null,
          captured,
          ...(verdict ? { verdict } : {}),
        }),
      );
    } finally {
      checkpoints.discard(token);
    }
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

/** The receipt's answer, addressed to the wait it was accepted for. */
function resumeCommand(row: WorkRow, receipt: ReceiptRow): Command {
  const { answer, submission } = JSON.parse(receipt.body) as {
    answer: Answer;
    submission: { evidenceRef?: string; gateAction?: string };
  };
  const position = positionOf(row);
  const fields = {
    ...answer,
    ...(answer.action === 'review' ? { evidenceRef: submission.evidenceRef } : {}),
    ...(answer.action === 'decide' ? { gateAction: submission.gateAction } : {}),
  };
  const value = {
    waitId: waitIdOf(position),
    inputVersion: position.inputVersion,
    artifactSha256: position.artifact?.sha256 ?? null,
    answer: fields,
  };
  return new Command({ resume: row.interrupt_id === null ? value : { [row.interrupt_id]: value } });
}
