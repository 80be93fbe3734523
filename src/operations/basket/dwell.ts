import { LIMITS } from '../../core/limits.js';
import { all, sql, type Tx } from '../../ledger/sql.js';
import type { Group } from './counts.js';
import { DAY_ms, type Range } from './ranges.js';

/** How long works of one kind and class took from arrival to end, of those that ended within a range. Times in ms. */
export interface Dwelt extends Group {
  readonly ended: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

/**
 * Exact where few ended within the range or where it does not begin and end with a day (UTC); else from the counts per day and
 * span, in which a dwell is at most a sixteenth longer than it was. How many ended is exact in both.
 */
export function* dwellOf(tenant: string, range: Range): Tx<Dwelt[]> {
  if (!inWholeDays(range)) return yield* exactly(tenant, range);
  const spans = yield* spansOf(tenant, range);
  const ended = spans.reduce((sum, span) => sum + span.works, 0);
  return ended <= LIMITS.dwellExact ? yield* exactly(tenant, range) : fromSpans(spans);
}

/** A day that is not over yet is whole: nothing has ended after now. */
const inWholeDays = ({ from_ms, to_ms, open }: Range): boolean =>
  from_ms % DAY_ms === 0 && (open === true || to_ms % DAY_ms === 0);

interface Span extends Group {
  readonly up_to_ms: number;
  readonly works: number;
}

const spansOf = (tenant: string, { from_ms, to_ms, open }: Range): Tx<Span[]> =>
  all<Span>(sql`
    SELECT kind, CASE WHEN class = '' THEN NULL ELSE class END AS class, up_to_ms, sum(works) AS works
    FROM dwell_counts WHERE tenant = ${tenant} AND day >= ${from_ms / DAY_ms}
      ${open === true ? sql`` : sql`AND day < ${to_ms / DAY_ms}`}
    GROUP BY kind, class, up_to_ms ORDER BY kind, class, up_to_ms`);

function fromSpans(spans: readonly Span[]): Dwelt[] {
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const name = JSON.stringify([span.kind, span.class]);
    const known = groups.get(name);
    if (known) known.push(span);
    else groups.set(name, [span]);
  }
  return [...groups.values()].map((own) => {
    const ended = own.reduce((sum, span) => sum + span.works, 0);
    const { kind, class: of } = own[0] as Span;
    return { kind, class: of, ended, p50: reached(own, ended, 50), p95: reached(own, ended, 95) };
  });
}

/** The end of the span by which so many per cent had ended. */
function reached(spans: readonly Span[], ended: number, percent: number): number | null {
  let sum = 0;
  for (const span of spans) {
    sum += span.works;
    if (sum * 100 >= ended * percent) return span.up_to_ms;
  }
  return null;
}

const exactly = (tenant: string, { from_ms, to_ms }: Range): Tx<Dwelt[]> =>
  all<Dwelt>(sql`
    WITH dwell AS (
      SELECT kind, class, wait_since - created_at AS spent,
        row_number() OVER (PARTITION BY kind, class ORDER BY wait_since - created_at) AS place,
        count(*) OVER (PARTITION BY kind, class) AS ended
      FROM works
      WHERE tenant = ${tenant} AND status IN ('DONE', 'CANCELLED') AND wait_since >= ${from_ms} AND wait_since < ${to_ms})
    SELECT kind, class, ended, min(CASE WHEN place * 100 >= ended * 50 THEN spent END) AS p50,
      min(CASE WHEN place * 100 >= ended * 95 THEN spent END) AS p95
    FROM dwell GROUP BY kind, class, ended`);
