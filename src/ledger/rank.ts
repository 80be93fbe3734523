/**
 * The order of the basket: earlier rank first. A rank is a moment in ms, fixed when the item arrives, so age raises
 * every item alike without anything being rewritten, and an index holds the order. (docs/decisions/0035)
 *
 *   weight = impact × urgency, each low 1, medium 2, high 3, critical 4; nothing said counts as medium
 *   rank   = created − weight × 6 h, or 24 h before the deadline where that is earlier,
 *            but never earlier than created − 96 h
 *
 * So nothing that arrives more than 96 h later can overtake an item, whatever it claims: none starves.
 */
const HOUR_ms = 3_600_000;
export const RANK_WEIGHT_ms = 6 * HOUR_ms;
export const RANK_LEAD_ms = 24 * HOUR_ms;
export const RANK_BOUND_ms = 16 * RANK_WEIGHT_ms;

const level = (column: string): string =>
  `(CASE ${column} WHEN 'critical' THEN 4 WHEN 'high' THEN 3 WHEN 'low' THEN 1 ELSE 2 END)`;

/** The rank as an expression over `works`; `prefix` is the table's name in the query with its dot. */
export function rankExpression(prefix = ''): string {
  const weighted = `(${prefix}created_at - ${level(`${prefix}impact`)} * ${level(`${prefix}urgency`)} * ${RANK_WEIGHT_ms})`;
  const due = `(${prefix}due_at - ${RANK_LEAD_ms})`;
  const bound = `(${prefix}created_at - ${RANK_BOUND_ms})`;
  return `(CASE WHEN ${prefix}due_at IS NULL OR ${due} >= ${weighted} THEN ${weighted} WHEN ${due} < ${bound} THEN ${bound} ELSE ${due} END)`;
}

const WEIGHT: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3, critical: 4 };

/** The same, of values at hand. */
export function rankOf(work: {
  readonly created_at: number;
  readonly impact: string | null;
  readonly urgency: string | null;
  readonly due_at: number | null;
}): number {
  const weight = (WEIGHT[work.impact ?? ''] ?? 2) * (WEIGHT[work.urgency ?? ''] ?? 2);
  const weighted = work.created_at - weight * RANK_WEIGHT_ms;
  const due = work.due_at === null ? weighted : work.due_at - RANK_LEAD_ms;
  return Math.max(Math.min(weighted, due), work.created_at - RANK_BOUND_ms);
}
