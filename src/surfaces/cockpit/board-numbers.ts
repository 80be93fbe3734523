import { STATUSES, isTerminal, type Status } from '../../core/work.js';
import type { Door } from '../../operations/door.js';

/** What the board shows of one status. */
export interface StatusNumbers {
  readonly status: Status;
  readonly count: number;
  /** When the oldest work of it came in, RFC 3339; null where there is none. */
  readonly oldest: string | null;
  readonly unowned: number;
  readonly overdue: number;
}

/** The numbers of every status. Exact totals of whole filters, never of a page. */
export async function boardNumbers(door: Door): Promise<ReadonlyMap<Status, StatusNumbers>> {
  const numbers = await Promise.all(STATUSES.map((status) => numbersOf(door, status)));
  return new Map(numbers.map((each) => [each.status, each]));
}

async function numbersOf(door: Door, status: Status): Promise<StatusNumbers> {
  const all = await door.list({ status, limit: 1, sort: 'created' });
  const oldest = all.items[0]?.createdAt ?? null;
  if (all.total === 0 || isTerminal(status)) {
    return { status, count: all.total, oldest: null, unowned: 0, overdue: 0 };
  }
  const [unowned, overdue] = await Promise.all([
    door.list({ status, unowned: true, limit: 1 }),
    door.list({ status, overdue: true, limit: 1 }),
  ]);
  return { status, count: all.total, oldest, unowned: unowned.total, overdue: overdue.total };
}
