const SECOND_ms = 1_000;
const MINUTE_ms = 60 * SECOND_ms;
const HOUR_ms = 60 * MINUTE_ms;
const DAY_ms = 24 * HOUR_ms;

/** From where on each unit says most: below it, the next smaller one does. */
const UNITS = [
  { unit: 'd', of_ms: DAY_ms, from_ms: 2 * DAY_ms },
  { unit: 'h', of_ms: HOUR_ms, from_ms: 2 * HOUR_ms },
  { unit: 'min', of_ms: MINUTE_ms, from_ms: 2 * MINUTE_ms },
  { unit: 's', of_ms: SECOND_ms, from_ms: 0 },
] as const;

/** How long something took, in the unit that suits it: the same words in the numbers and in the day's close. */
export function spanText(span_ms: number): string {
  const { unit, of_ms } = UNITS.find(({ from_ms }) => span_ms >= from_ms) ?? UNITS[3];
  return `${(span_ms / of_ms).toFixed(1)} ${unit}`;
}
