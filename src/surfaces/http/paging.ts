import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { invalid } from '../../core/refusals.js';
import { parseRequest } from '../../operations/requests.js';
import type { Call } from './route.js';

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(LIMITS.page_max).optional(),
  cursor: z.string().max(20).optional(),
});

/**
 * A list that belongs to one thing, oldest first and only ever growing at its end, as a page. Without a limit it is
 * whole: it is read whole anyway, and a history that breaks off unasked would look like a broken chain.
 */
export function paged<T>(items: readonly T[], query: Call['query']) {
  const { limit, cursor } = parseRequest(pageQuery, query);
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw invalid('/cursor', 'is not a cursor of this list');
  const to = limit === undefined ? items.length : from + limit;
  return {
    items: items.slice(from, to),
    nextCursor: to < items.length ? String(to) : null,
    total: items.length,
  };
}
