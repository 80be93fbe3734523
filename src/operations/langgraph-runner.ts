import { Command } from '@langchain/langgraph';
import type { Position } from '../core/work.js';
import type { CompiledWorkGraph } from '../graph/graph.js';
import { RUN_TOKEN, type CapturedRuns } from '../ledger/checkpoints.js';
import { positionOf, type ReceiptRow, type WorkRow } from '../ledger/rows.js';
import type { Runner } from './applier.js';
import { resumeOf } from './resume-of.js';
import { withVerdict, type VerdictOf } from './runners.js';

/** Runs the compiled graph as LangGraph does, with its writes captured. For tracing, and to hold the other against. */
export function langGraphRunner(
  graph: CompiledWorkGraph,
  { runs, verdictOf }: { readonly runs: CapturedRuns; readonly verdictOf: VerdictOf },
): Runner {
  return withVerdict({ verdictOf }, async (row, receipt) => {
    const token = runs.open();
    try {
      const input = receipt.action === 'register' ? { work: positionOf(row) } : resumeCommand(row, receipt);
      const state = await graph.invoke(input as never, {
        configurable: { thread_id: row.thread_id, [RUN_TOKEN]: token, __pregel_strict_resume: true },
        // The receipt is durable already and replays the answer, so only the state it leads to needs to be written.
        durability: 'exit',
        recursionLimit: 25,
      });
      const interrupts = (state as { __interrupt__?: { id?: string }[] }).__interrupt__;
      const captured = await runs.take(token);
      if (captured.checkpointId === null)
        throw new Error('the graph took the answer but wrote no checkpoint');
      return {
        position: (state as { work: Position }).work,
        interruptId: interrupts?.[0]?.id ?? null,
        checkpointId: captured.checkpointId,
        insert: () => captured.insert(),
      };
    } finally {
      runs.discard(token);
    }
  });
}

function resumeCommand(row: WorkRow, receipt: ReceiptRow): Command {
  const value = resumeOf(row, receipt);
  return new Command({ resume: row.interrupt_id === null ? value : { [row.interrupt_id]: value } });
}
