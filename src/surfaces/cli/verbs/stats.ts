import { spanText } from '../../../operations/basket/span-text.js';
import { present } from '../args.js';
import { clock, table } from '../table.js';
import type { DoorVerb } from '../verb.js';

const took = (span_ms: number | null): string | null => (span_ms === null ? null : spanText(span_ms));

export const verb: DoorVerb = {
  summary: 'The numbers per kind and class, or per worker',
  options: [
    { flags: '--by <what>', says: 'kind, or holder to compare workers (kind)', choices: ['kind', 'holder'] },
    { flags: '--from <time>', says: 'count what happened from here, RFC 3339 (30 days back)' },
    { flags: '--to <time>', says: 'until here (now)' },
  ],
  examples: ['signalbox stats', 'signalbox stats --by holder --from 2026-05-01T00:00:00Z'],
  async run(door, args, out) {
    const query = present({ by: args.text('by'), from: args.text('from'), to: args.text('to') });
    out.answer(await door.stats(query), (numbers) => {
      const range = `from ${clock(numbers.range.from)} to ${clock(numbers.range.to)}`;
      if ('holders' in numbers) {
        const heads = [
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
        ];
        const rows = numbers.holders.map((row) => [
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
        ]);
        return `${table(heads, rows)}\n${range}`;
      }
      const heads = [
        'kind',
        'class',
        'open',
        'oldest',
        'unowned',
        'overdue',
        'silent/unknown',
        'rework',
        'ended',
        'p50',
        'p95',
      ];
      const rows = numbers.kinds.map((row) => [
        row.kind,
        row.class,
        row.open,
        clock(row.oldestOpenAt),
        row.unowned,
        row.overdue,
        row.outcomeUnknown,
        row.reworkRounds,
        row.ended,
        took(row.dwellP50_ms),
        took(row.dwellP95_ms),
      ]);
      const trouble = `failed resumes ${numbers.resumeFailures}, failed deliveries ${numbers.deliveryFailures}, dead letters ${numbers.deadLetters}`;
      return `${table(heads, rows)}\n${trouble}\nended and dwell ${range}; the rest counts every work there is`;
    });
  },
};
