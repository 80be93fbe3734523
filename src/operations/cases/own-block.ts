import type { Origin } from '../../core/case.js';
import { CASE_KIND } from '../../core/case.js';
import { findCase, type CaseRow } from '../../ledger/case-rows.js';
import { findWork } from '../../ledger/reads.js';
import { all, first, sql, type Tx } from '../../ledger/sql.js';

/** How a work of this desk stands to a case that was raised about it. */
export type Standing =
  /** It waits for this case, and for no other: the interrupt of its block. */
  | { readonly kind: 'waits'; readonly interruptId: string }
  /** Blocked for another reason, which this case does not lift. */
  | { readonly kind: 'blocked'; readonly why: string }
  /** Not blocked: it finds the decision when it asks for it. */
  | { readonly kind: 'free' }
  | { readonly kind: 'missing' };

/**
 * A case frees only a work that was blocked by whoever raised the case: the block of somebody else, above all an
 * operator's, is theirs to lift. Where its blocker raised several cases about it, the last of them frees it.
 */
export function* standingOf(tenant: string, caseId: string, origin: Origin): Tx<Standing> {
  const work = yield* findWork(tenant, origin.runId);
  const kept = yield* findCase(tenant, caseId);
  if (!work || !kept) return { kind: 'missing' };
  if (work.status !== 'BLOCKED' || work.pending_receipt !== null || work.interrupt_id === null)
    return { kind: 'free' };
  if (work.kind === CASE_KIND)
    return { kind: 'blocked', why: 'it is a case, which waits for its own question' };
  const blocker = yield* blockedBy(tenant, work.work_id);
  if (!blocker) return { kind: 'blocked', why: 'its validators blocked it' };
  if (blocker.principal !== kept.recorded_by && blocker.actor !== kept.recorded_actor)
    return {
      kind: 'blocked',
      why: `${blocker.principal} blocked it, and ${kept.recorded_by} raised this case`,
    };
  const open = yield* othersOpen(tenant, kept, origin);
  if (open.length > 0) return { kind: 'blocked', why: `it waits for ${open.join(', ')} too` };
  return { kind: 'waits', interruptId: work.interrupt_id };
}

/** Who brought a blocked work to its block; undefined where no person did. A correction leaves it blocked. */
function* blockedBy(
  tenant: string,
  workId: string,
): Tx<{ readonly principal: string; readonly actor: string } | undefined> {
  const last = yield* first<{ action: string; principal: string; actor: string }>(sql`
    SELECT action, principal, actor FROM receipts
    WHERE tenant = ${tenant} AND work_id = ${workId} AND outcome = 'accepted' AND moves = 1 AND action <> 'correct'
    ORDER BY at DESC, receipt_id DESC LIMIT 1`);
  return last?.action === 'block' ? last : undefined;
}

/** Undecided cases that the same party raised about the same work. */
function* othersOpen(tenant: string, kept: CaseRow, origin: Origin): Tx<string[]> {
  const rows = yield* all<{ work_id: string; origin: string }>(sql`
    SELECT c.work_id, c.origin FROM cases c JOIN works w ON w.tenant = c.tenant AND w.work_id = c.work_id
    WHERE c.tenant = ${tenant} AND c.open = 1 AND c.origin_system = ${origin.system} AND c.work_id <> ${kept.work_id}
      AND (c.recorded_by = ${kept.recorded_by} OR c.recorded_actor = ${kept.recorded_actor})
      AND w.status NOT IN ('DONE', 'CANCELLED')
    ORDER BY c.work_id`);
  return rows
    .filter((row) => (JSON.parse(row.origin) as Origin).runId === origin.runId)
    .map((row) => row.work_id);
}
