import { CASE_KIND } from '../../core/case.js';
import { LIMITS } from '../../core/limits.js';
import { sql, type Statement } from '../../ledger/sql.js';

export const BASKET_VIEWS = [
  'unclaimed',
  'in_progress',
  'awaiting_info',
  'overdue',
  'outcome_unknown',
  'gates',
  'reviews',
  'not_applied',
  'dead_letters',
] as const;
export type BasketView = (typeof BASKET_VIEWS)[number];

/**
 * What belongs to a view, as conditions on `works w`. Several conditions exclude each other; each stands for one
 * status where it can, so that the index by status and rank gives its page without sorting.
 */
export function branchesOf(view: Exclude<BasketView, 'dead_letters'>, now_ms: number): readonly Statement[] {
  switch (view) {
    case 'unclaimed':
      return [sql`w.status = 'READY'`, sql`w.status = 'REWORK'`];
    case 'in_progress':
      return [sql`w.status = 'IN_PROGRESS'`];
    case 'awaiting_info':
      return [
        sql`w.status = 'BLOCKED' AND EXISTS (SELECT 1 FROM cases a WHERE a.tenant = w.tenant AND a.work_id = w.work_id AND a.asked_who IS NOT NULL)`,
      ];
    case 'overdue':
      return [sql`w.due_at <= ${now_ms} AND w.status NOT IN ('DONE', 'CANCELLED')`];
    case 'outcome_unknown':
      return [
        sql`w.status = 'OUTCOME_UNKNOWN'`,
        // Gone silent: what its holder did is not known until somebody has looked.
        sql`w.status = 'IN_PROGRESS' AND w.lease_expires_at <= ${now_ms}`,
        sql`w.status = 'MERGE_READY' AND EXISTS (SELECT 1 FROM outbox u WHERE u.tenant = w.tenant AND u.work_id = w.work_id AND u.state = 'unknown')`,
      ];
    case 'gates':
      return [sql`w.status = 'OWNER_GATE'`];
    case 'reviews':
      return [sql`w.status = 'VP_REVIEW'`];
    case 'not_applied':
      return [
        sql`w.pending_receipt IS NOT NULL AND w.pending_since <= ${now_ms - LIMITS.notAppliedAfter_ms}`,
        sql`w.status = 'MERGE_READY' AND w.kind = ${CASE_KIND} AND w.pending_receipt IS NULL`,
      ];
  }
}
