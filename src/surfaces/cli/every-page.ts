import type { DoorLike } from '../../client.js';
import type { WorkView } from '../../operations/views.js';

const WHOLE_PAGE = 200;

/** Every work that a filter meets, page after page: a page is never taken for the whole. */
export async function everyWork(
  door: DoorLike,
  query: Readonly<Record<string, unknown>>,
): Promise<{ readonly items: WorkView[]; readonly nextCursor: string | null; readonly total: number }> {
  const items: WorkView[] = [];
  let page = await door.list({ ...query, limit: WHOLE_PAGE });
  const { total } = page;
  items.push(...page.items);
  while (page.nextCursor !== null) {
    page = await door.list({ ...query, limit: WHOLE_PAGE, cursor: page.nextCursor });
    items.push(...page.items);
  }
  return { items, nextCursor: null, total };
}
