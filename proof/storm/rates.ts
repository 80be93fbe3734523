import type { Blow } from './blows.js';
import type { Acknowledged } from './journal.js';

const SECOND_ms = 1_000;
/** The seconds before a blow that its recovery is measured against. */
const BEFORE_s = 5;

/** What a blow did to the throughput. */
export interface Recovery extends Blow {
  /** Acknowledged answers per second in the seconds before. */
  readonly before_perSecond: number;
  /** Until the first answer after it was acknowledged. */
  readonly firstAnswer_ms: number | null;
  /** Until a whole second had at least half the answers of one before; null when that never came. */
  readonly halfBack_ms: number | null;
}

/**
 * Answers per second, and how they came back after each blow.
 * @param began_ms and ended_ms of the time under load, ms since the epoch
 */
export function recoveries(
  answers: readonly Acknowledged[],
  blows: readonly Blow[],
  began_ms: number,
  ended_ms: number,
): { perSecond: number[]; recoveries: Recovery[] } {
  const times = answers.map((answer) => answer.at_ms);
  const between = (from: number, to: number): number => times.filter((at) => at >= from && at < to).length;
  const seconds = Math.max(1, Math.floor((ended_ms - began_ms) / SECOND_ms));
  const perSecond = Array.from({ length: seconds }, () => 0);
  for (const at of times) {
    const second = Math.floor((at - began_ms) / SECOND_ms);
    if (second >= 0 && second < seconds) perSecond[second] = (perSecond[second] ?? 0) + 1;
  }
  return {
    perSecond,
    recoveries: blows.map((blow) => {
      const from = Math.max(began_ms, blow.at_ms - BEFORE_s * SECOND_ms);
      const before_perSecond = (between(from, blow.at_ms) * SECOND_ms) / Math.max(1, blow.at_ms - from);
      const first = times.find((at) => at > blow.at_ms);
      return {
        ...blow,
        before_perSecond: Math.round(before_perSecond),
        firstAnswer_ms: first === undefined ? null : first - blow.at_ms,
        halfBack_ms: halfBack(between, blow.at_ms, before_perSecond, ended_ms),
      };
    }),
  };
}

/** Slides a second along in steps of a tenth, from the blow on. */
function halfBack(
  between: (from: number, to: number) => number,
  at_ms: number,
  before_perSecond: number,
  ended_ms: number,
): number | null {
  for (let from = at_ms; from + SECOND_ms <= ended_ms; from += SECOND_ms / 10)
    if (between(from, from + SECOND_ms) >= before_perSecond / 2) return from - at_ms;
  return null;
}

/** The value that `share` (0 to 1) of the values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
