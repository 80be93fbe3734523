import { LIMITS } from '../../core/limits.js';
import { fixed, sql, type Statement } from '../../ledger/sql.js';
import type { Status } from '../../core/work.js';

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

/** What belongs to a view: a condition on `works w`, and which statuses it is all of, where it is that. */
export interface Branch {
  readonly condition: Statement;
  /** The same, as it is quicker to count than to put in order. */
  readonly counted?: Statement;
  /** All works of this status, so that the counts kept per status give their number. */
  readonly all?: Status;
}

/** Cases, and only they, have a class. */
const IS_CASE = fixed('w.class IS NOT NULL');
const whole = (status: Status): Branch => ({ condition: fixed(`w.status = '${status}'`), all: status });

/**
 * Several branches exclude each other; each stands for one status where it can, so that the index by status and rank
 * gives its page without sorting. A sum with nothing keeps a column from the index of its values, where going along
 * the ranks finds a first page sooner than all that fit can be sorted.
 */
export function branchesOf(view: Exclude<BasketView, 'dead_letters'>, now_ms: number): readonly Branch[] {
  switch (view) {
    case 'unclaimed':
      return [whole('READY'), whole('REWORK')];
    case 'in_progress':
      return [whole('IN_PROGRESS')];
    case 'awaiting_info':
      return [
        {
          condition: sql`w.status = 'BLOCKED' AND ${IS_CASE} AND EXISTS (SELECT 1 FROM cases a WHERE a.tenant = w.tenant AND a.work_id = w.work_id AND a.asked_who IS NOT NULL)`,
        },
      ];
    case 'overdue':
      return [
        {
          condition: sql`w.due_at IS NOT NULL AND w.due_at + 0 <= ${now_ms} AND w.status NOT IN ('DONE', 'CANCELLED')`,
          counted: sql`w.due_at <= ${now_ms} AND w.status NOT IN ('DONE', 'CANCELLED')`,
        },
      ];
    case 'outcome_unknown':
      return [
        whole('OUTCOME_UNKNOWN'),
        // Gone silent: what its holder did is not known until somebody has looked.
        {
          condition: sql`w.status = 'IN_PROGRESS' AND w.lease_expires_at + 0 <= ${now_ms}`,
          counted: sql`w.status = 'IN_PROGRESS' AND w.lease_expires_at <= ${now_ms}`,
        },
        {
          condition: sql`w.status = 'MERGE_READY' AND ${IS_CASE} AND EXISTS (SELECT 1 FROM outbox u WHERE u.tenant = w.tenant AND u.work_id = w.work_id AND u.state = 'unknown')`,
        },
      ];
    case 'gates':
      return [whole('OWNER_GATE')];
    case 'reviews':
      return [whole('VP_REVIEW')];
    case 'not_applied':
      return [
        {
          condition: sql`w.pending_receipt IS NOT NULL AND w.pending_since <= ${now_ms - LIMITS.notAppliedAfter_ms}`,
        },
        { condition: sql`w.status = 'MERGE_READY' AND ${IS_CASE} AND w.pending_receipt IS NULL` },
      ];
  }
}
