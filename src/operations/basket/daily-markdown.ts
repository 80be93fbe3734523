import type { DailyReport } from './daily.js';
import { spanText } from './span-text.js';

/** The day's close as people read it. */
export function dailyMarkdown(report: DailyReport): string {
  const { happened, trouble } = report;
  const open = report.standing.reduce((sum, row) => sum + row.open, 0);
  return [
    `# ${report.date}`,
    '',
    `Counts of the day cover ${report.range.from} to ${report.range.to}; what is open is as of ${report.at}.`,
    '',
    `- arrived ${happened.arrived}, of them cases ${happened.casesArrived}; further observations ${happened.observations}`,
    `- decided ${happened.decided}, reflected ${happened.reflected}, ended ${happened.ended}`,
    `- handed on ${happened.handedOn}, escalated ${happened.escalated}, turned away ${happened.turnedAway}`,
    `- open now ${open}; dead letters ${trouble.deadLetters} (${happened.newDeadLetters} new)`,
    `- failed resumes ${trouble.resumeFailures}, failed deliveries ${trouble.deliveryFailures}, deliveries with unknown outcome ${trouble.deliveriesUnknown}`,
    '',
    '## Open',
    '',
    ...table(
      [
        'kind',
        'class',
        'open',
        'oldest',
        'unowned',
        'overdue',
        'silent or unknown',
        'not reflected',
        'ended',
        'dwell p50',
        'dwell p95',
      ],
      report.standing.map((row) => [
        row.kind,
        row.class ?? '',
        row.open,
        row.oldestOpenAt ?? '',
        row.unowned,
        row.overdue,
        row.outcomeUnknown,
        row.notReflected,
        row.ended,
        took(row.dwellP50_ms),
        took(row.dwellP95_ms),
      ]),
    ),
    '',
    '## Workers',
    '',
    ...table(
      [
        'worker',
        'claimed',
        'completed',
        'late',
        'duplicate',
        'stale',
        'reworked',
        'expired',
        'interventions',
        'p50',
      ],
      report.holders.map((row) => [
        row.holder,
        row.claimed,
        row.completed,
        row.turnedAway.late,
        row.turnedAway.duplicate,
        row.turnedAway.stale,
        row.reworked,
        row.expired,
        row.interventions,
        took(row.claimToAcceptedP50_ms),
      ]),
    ),
    '',
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Names come from outside: nothing in them may end a cell, begin a tag or a link. */
function cell(value: string | number): string {
  return String(value)
    .replaceAll(/[\\|<>[\]`*_]/g, (character) => `\\${character}`)
    .replaceAll(/\s+/g, ' ');
}

const took = (span_ms: number | null): string => (span_ms === null ? '' : spanText(span_ms));
