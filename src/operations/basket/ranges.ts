import { z } from 'zod';
import { invalid } from '../../core/refusals.js';
import { time } from '../views.js';

export const DAY_ms = 24 * 60 * 60_000;
/** What is counted over time covers so many days (UTC), today included, where nothing else is asked for. */
const DEFAULT_DAYS = 30;

const instant = z.iso.datetime({ offset: true });

export const rangeRequest = z.strictObject({
  from: instant.optional(),
  to: instant.optional(),
  by: z.enum(['kind', 'holder']).default('kind'),
});

/** A span of time, from inclusive to exclusive, in ms. Every count over time says which it covers. */
export interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
  /** It ends now, so there is nothing after it. */
  readonly open?: true;
}

export function rangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now_ms: number,
): Range {
  const to_ms = to === undefined ? now_ms + 1 : Date.parse(to);
  const day_ms = Math.floor((to_ms - 1) / DAY_ms) * DAY_ms;
  const from_ms = from === undefined ? day_ms - (DEFAULT_DAYS - 1) * DAY_ms : Date.parse(from);
  if (from_ms >= to_ms) throw invalid('/from', 'must lie before /to');
  return { from_ms, to_ms, ...(to === undefined ? { open: true } : {}) };
}

export function dayOf(date: string | undefined, now_ms: number): Range & { readonly date: string } {
  const day = date ?? time(now_ms).slice(0, 10);
  const from_ms = Date.parse(`${day}T00:00:00Z`);
  return { date: day, from_ms, to_ms: from_ms + DAY_ms };
}

export const rangeView = ({ from_ms, to_ms }: Range) => ({ from: time(from_ms), to: time(to_ms) });
