import { all, sql, type Tx } from '../../ledger/sql.js';
import type { Range } from './ranges.js';

/** What one worker did within a range, so that two can be compared on the same work. Times in ms. */
export interface HolderStats {
  readonly holder: string;
  readonly claimed: number;
  readonly completed: number;
  readonly turnedAway: {
    readonly late: number;
    readonly duplicate: number;
    readonly stale: number;
    readonly other: number;
  };
  readonly reworked: number;
  readonly expired: number;
  readonly interventions: number;
  readonly claimToAcceptedP50_ms: number | null;
  readonly claimToAcceptedP95_ms: number | null;
}

interface Results {
  holder: string;
  completed: number;
  reworked: number;
  late: number;
  duplicate: number;
  stale: number;
  other: number;
}
interface Leases {
  holder: string;
  claimed: number;
  expired: number;
  interventions: number;
}
interface Times {
  holder: string;
  p50: number | null;
  p95: number | null;
}

/**
 * Per worker. Completed are its results that were accepted; reworked are those of them after which the work had to be
 * taken up once more; interventions are reservations of its that somebody else had to end.
 */
export function* holderStats(tenant: string, { from_ms, to_ms }: Range, now_ms: number): Tx<HolderStats[]> {
  const results = yield* all<Results>(sql`
    SELECT r.principal AS holder,
      sum(CASE WHEN r.outcome = 'accepted' THEN 1 ELSE 0 END) AS completed,
      sum(CASE WHEN r.outcome = 'accepted' AND (
        EXISTS (SELECT 1 FROM works w WHERE w.tenant = r.tenant AND w.work_id = r.work_id AND w.status = 'REWORK')
        OR EXISTS (SELECT 1 FROM receipts c WHERE c.tenant = r.tenant AND c.work_id = r.work_id AND c.action = 'claim'
          AND c.outcome = 'accepted' AND c.moves = 1 AND c.at > r.at)) THEN 1 ELSE 0 END) AS reworked,
      sum(CASE WHEN r.code IN ('LEASE_EXPIRED', 'NOT_HOLDER') THEN 1 ELSE 0 END) AS late,
      sum(CASE WHEN r.code = 'ALREADY_DECIDED' THEN 1 ELSE 0 END) AS duplicate,
      sum(CASE WHEN r.code IN ('STALE_INTERRUPT', 'INPUT_CHANGED') THEN 1 ELSE 0 END) AS stale,
      sum(CASE WHEN r.code IS NOT NULL AND r.code NOT IN ('LEASE_EXPIRED', 'NOT_HOLDER', 'ALREADY_DECIDED',
        'STALE_INTERRUPT', 'INPUT_CHANGED') THEN 1 ELSE 0 END) AS other
    FROM receipts r
    WHERE r.tenant = ${tenant} AND r.action = 'result' AND r.at >= ${from_ms} AND r.at < ${to_ms}
    GROUP BY r.principal`);
  const leases = yield* all<Leases>(sql`
    SELECT holder, count(*) AS claimed,
      sum(CASE WHEN close_reason IN ('expired', 'investigate') OR state = 'unknown'
        OR (closed_at IS NULL AND expires_at <= ${now_ms}) THEN 1 ELSE 0 END) AS expired,
      sum(CASE WHEN close_reason IN ('handoff', 'investigate') THEN 1 ELSE 0 END) AS interventions
    FROM leases WHERE tenant = ${tenant} AND purpose = 'work' AND claimed_at >= ${from_ms} AND claimed_at < ${to_ms}
    GROUP BY holder`);
  const times = yield* all<Times>(sql`
    WITH taken AS (
      SELECT holder, closed_at - claimed_at AS spent,
        row_number() OVER (PARTITION BY holder ORDER BY closed_at - claimed_at) AS place,
        count(*) OVER (PARTITION BY holder) AS accepted
      FROM leases WHERE tenant = ${tenant} AND purpose = 'work' AND close_reason = 'result'
        AND closed_at >= ${from_ms} AND closed_at < ${to_ms})
    SELECT holder, min(CASE WHEN place * 100 >= accepted * 50 THEN spent END) AS p50,
      min(CASE WHEN place * 100 >= accepted * 95 THEN spent END) AS p95
    FROM taken GROUP BY holder`);
  const holders = [...new Set([...results, ...leases, ...times].map(({ holder }) => holder))].toSorted();
  return holders.map((holder) => {
    const of = <R extends { holder: string }>(rows: readonly R[]): R | undefined =>
      rows.find((row) => row.holder === holder);
    const result = of(results);
    const lease = of(leases);
    const time = of(times);
    return {
      holder,
      claimed: lease?.claimed ?? 0,
      completed: result?.completed ?? 0,
      turnedAway: {
        late: result?.late ?? 0,
        duplicate: result?.duplicate ?? 0,
        stale: result?.stale ?? 0,
        other: result?.other ?? 0,
      },
      reworked: result?.reworked ?? 0,
      expired: lease?.expired ?? 0,
      interventions: lease?.interventions ?? 0,
      claimToAcceptedP50_ms: time?.p50 ?? null,
      claimToAcceptedP95_ms: time?.p95 ?? null,
    };
  });
}
