/** Parts of a doubling that are told apart: a dwell is counted at most a sixteenth longer than it was. */
const PARTS_OF_DOUBLING = 16;
/** 2^46 ms is longer than two thousand years. */
const DOUBLINGS = 46;

/** The end of the span that a time falls into, in ms, as an expression: spans widen as times do. */
export function upToExpression(time_ms: string): string {
  const spans = [`WHEN ${time_ms} < ${PARTS_OF_DOUBLING} THEN ${PARTS_OF_DOUBLING}`];
  for (let power = 5; power <= DOUBLINGS; power += 1) {
    const step_ms = 2 ** (power - 1) / PARTS_OF_DOUBLING;
    spans.push(`WHEN ${time_ms} < ${2 ** power} THEN ((${time_ms}) / ${step_ms} + 1) * ${step_ms}`);
  }
  return `(CASE ${spans.join(' ')} ELSE ${2 ** DOUBLINGS} END)`;
}
