import { CASE_KIND } from '../core/case.js';
import { upToExpression } from '../ledger/dwell-span.js';
import { all, fixed, sql, type Tx } from '../ledger/sql.js';
import { difference, type Difference } from './difference.js';

interface Compared {
  kind: string;
  class: string;
  place: string;
  counted: string;
  found: string;
}

/** The numbers that are kept as works are written, against the works themselves (I12); and each case's class. */
export function* verifyCounts(tenant: string): Tx<Difference[]> {
  const standing = yield* all<Compared>(sql`
    WITH kept AS (
      SELECT kind, class, status, sum(works) AS works, sum(unowned) AS unowned, sum(reassignments) AS reassignments, sum(rounds) AS rounds
      FROM work_counts WHERE tenant = ${tenant} GROUP BY kind, class, status),
    real AS (
      SELECT kind, coalesce(class, '') AS class, status, count(*) AS works, sum(CASE WHEN holder IS NULL THEN 1 ELSE 0 END) AS unowned,
        sum(reassignments) AS reassignments, sum(round - 1) AS rounds
      FROM works WHERE tenant = ${tenant} GROUP BY kind, coalesce(class, ''), status)
    SELECT kind, class, status AS place, ${tuple('k')} AS counted, ${tuple('r')} AS found
    FROM kept k FULL JOIN real r USING (kind, class, status)
    WHERE ${tuple('k')} <> ${tuple('r')}`);
  const dwelt = yield* all<Compared>(sql`
    WITH kept AS (
      SELECT kind, class, day, up_to_ms, sum(works) AS works FROM dwell_counts WHERE tenant = ${tenant}
      GROUP BY kind, class, day, up_to_ms),
    real AS (
      SELECT kind, class, day, up_to_ms, count(*) AS works FROM (
        SELECT kind, coalesce(class, '') AS class, wait_since / 86400000 AS day,
          ${fixed(upToExpression('wait_since - created_at'))} AS up_to_ms
        FROM works WHERE tenant = ${tenant} AND status IN ('DONE', 'CANCELLED') AND wait_since IS NOT NULL) AS ended
      GROUP BY kind, class, day, up_to_ms)
    SELECT kind, class, 'day ' || day || ', up to ' || up_to_ms || ' ms' AS place, coalesce(k.works, 0) || '' AS counted,
      coalesce(r.works, 0) || '' AS found
    FROM kept k FULL JOIN real r USING (kind, class, day, up_to_ms)
    WHERE coalesce(k.works, 0) <> coalesce(r.works, 0)`);
  const classes = yield* all<{ work_id: string; class: string | null; classification: string }>(sql`
    SELECT w.work_id, w.class, c.classification FROM works w
    JOIN cases c ON c.tenant = w.tenant AND c.work_id = w.work_id
    WHERE w.tenant = ${tenant} AND w.kind = ${CASE_KIND} AND coalesce(w.class, '') <> c.classification`);
  return [
    ...[...standing, ...dwelt].map((row) =>
      difference('COUNT', {
        tenant,
        expected: row.found,
        found: row.counted,
        detail: `the works of kind ${row.kind}${row.class === '' ? '' : `, class ${row.class}`} (${row.place}) are counted wrongly`,
      }),
    ),
    ...classes.map((row) =>
      difference('COUNT', {
        tenant,
        workId: row.work_id,
        expected: row.classification,
        found: row.class,
        detail: "the work's class is not its case's classification",
      }),
    ),
  ];
}

/** Four numbers as one text, so that they are compared and shown together; of a group that is not there, noughts. */
function tuple(side: 'k' | 'r') {
  const numbers = ['works', 'unowned', 'reassignments', 'rounds'];
  return fixed(`(${numbers.map((name) => `coalesce(${side}.${name}, 0)`).join(" || ' ' || ")})`);
}
