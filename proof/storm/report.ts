import type { Blow } from './blows.js';
import type { Finding } from './findings.js';
import type { Entry } from './journal.js';
import type { StormOptions } from './options.js';
import { quantile, recoveries, type Recovery } from './rates.js';

export interface Observed {
  readonly options: StormOptions;
  readonly blows: readonly Blow[];
  readonly entries: readonly Entry[];
  readonly began_ms: number;
  readonly ended_ms: number;
  /** Until nothing was decided and not applied, after the blows had ended. */
  readonly settled_ms: number;
  readonly findings: readonly Finding[];
}

/** What a storm came to; all of it can be printed as JSON. */
export interface StormReport {
  readonly passed: boolean;
  readonly backend: string;
  readonly servers: number;
  readonly workers: number;
  readonly workerProcesses: number;
  readonly duration_s: number;
  readonly seed: number;
  readonly acknowledged: number;
  readonly acknowledgedByVerb: Readonly<Record<string, number>>;
  readonly sentAgain: number;
  readonly refusedByCode: Readonly<Record<string, number>>;
  readonly answers_perSecond: number;
  readonly perSecond: readonly number[];
  readonly blows: readonly Recovery[];
  readonly settled_ms: number;
  readonly findings: readonly Finding[];
}

export function reportOf(seen: Observed): StormReport {
  const { options, entries, began_ms, ended_ms } = seen;
  const acknowledged = entries.filter((entry) => entry.kind === 'acknowledged');
  const refused = entries.filter((entry) => entry.kind === 'refused');
  const { perSecond, recoveries: blows } = recoveries(acknowledged, seen.blows, began_ms, ended_ms);
  return {
    passed: seen.findings.every((finding) => finding.against.length === 0),
    backend: options.backend,
    servers: options.servers,
    workers: options.workers,
    workerProcesses: options.workerProcesses,
    duration_s: Math.round((ended_ms - began_ms) / 1000),
    seed: options.seed,
    acknowledged: acknowledged.length,
    acknowledgedByVerb: countBy(acknowledged.map((entry) => entry.verb)),
    sentAgain: acknowledged.filter((entry) => entry.tries > 1).length,
    refusedByCode: countBy(refused.map((entry) => entry.code)),
    answers_perSecond: Math.round((acknowledged.length * 1000) / Math.max(1, ended_ms - began_ms)),
    perSecond,
    blows,
    settled_ms: seen.settled_ms,
    findings: seen.findings,
  };
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** The report for people. */
export function textOf(report: StormReport): string {
  const lines = [
    `${report.backend}: ${report.servers} servers, ${report.workers} workers in ${report.workerProcesses} processes, ${report.duration_s} s, seed ${report.seed}`,
    '',
    'throughput, acknowledged answers per second, a column for every second:',
    ...sparklines(report.perSecond),
    '',
    'blow                      whom         before/s  first answer  half the rate back',
    ...report.blows.map(blowLine),
    ...summaries(report.blows),
    '',
    `acknowledged ${report.acknowledged} answers, ${report.answers_perSecond}/s; ${report.sentAgain} of them were sent more than once`,
    `  ${listed(report.acknowledgedByVerb)}`,
    `refused: ${listed(report.refusedByCode) || 'nothing'}`,
    `nothing was left unapplied ${report.settled_ms} ms after the end`,
    '',
    ...report.findings.flatMap(({ name, looked, against }) => [
      `${against.length === 0 ? 'holds ' : 'BROKEN'}  ${name} (${looked} looked at)`,
      ...against.map((each) => `          ${each}`),
    ]),
    '',
    report.passed ? 'PASSED' : 'FAILED',
  ];
  return lines.join('\n');
}

const seconds = (ms: number | null): string => (ms === null ? 'never' : `${(ms / 1000).toFixed(1)} s`);

function blowLine(blow: Recovery): string {
  return [
    blow.what.padEnd(25),
    blow.whom.padEnd(12),
    String(blow.before_perSecond).padStart(8),
    seconds(blow.firstAnswer_ms).padStart(13),
    seconds(blow.halfBack_ms).padStart(19),
  ].join(' ');
}

/** For each sort of blow, how long until half the throughput was back. */
function summaries(blows: readonly Recovery[]): string[] {
  return [...new Set(blows.map((blow) => blow.what))].map((what) => {
    const times = blows
      .filter((blow) => blow.what === what)
      .map((blow) => blow.halfBack_ms ?? Number.POSITIVE_INFINITY);
    const median = seconds(quantile(times, 0.5));
    return `  ${what}: ${times.length} times; half the rate back after ${median} (median), ${seconds(Math.max(...times))} (worst)`;
  });
}

const BARS = ' ▁▂▃▄▅▆▇█';
const WIDTH = 100;

function sparklines(perSecond: readonly number[]): string[] {
  const most = Math.max(1, ...perSecond);
  const bars = perSecond.map((rate) => BARS[Math.ceil((rate / most) * (BARS.length - 1))] ?? ' ').join('');
  const rows: string[] = [];
  for (let at = 0; at < bars.length; at += WIDTH)
    rows.push(`  ${String(at).padStart(4)} s |${bars.slice(at, at + WIDTH)}|`);
  return [...rows, `  full height: ${most}/s; median ${quantile(perSecond, 0.5)}/s`];
}

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted((one, other) => other[1] - one[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
