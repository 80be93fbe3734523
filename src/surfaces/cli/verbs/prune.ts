import { UsageError } from '../failures.js';
import type { AloneVerb } from '../verb.js';

const DAY_ms = 24 * 3_600_000;
const DAYS_DEFAULT = 30;

/** Space that is freed stays with the database, which fills it again. */
const sizeOf = ({ bytes, free_bytes }: { bytes: number; free_bytes: number | null }): string =>
  `${mib(bytes)}${free_bytes === null ? '' : `, ${mib(free_bytes)} of them free to be filled again`}`;
const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

export const verb: AloneVerb = {
  summary: 'Keep of threads that ended, of every tenant, only the last checkpoint; all else stays whole',
  options: [{ flags: '--days <number>', says: `ended at least this many days ago (${DAYS_DEFAULT})` }],
  examples: ['signalbox prune', 'signalbox prune --days 7'],
  async runAlone(reach, args, out) {
    const days = args.number('days') ?? DAYS_DEFAULT;
    if (days < 0) throw new UsageError('--days takes a number from 0');
    const { pruneDesk, storeSize } = await import('../../../operations/prune.js');
    const box = await reach.open({ recover: false });
    try {
      const before = await storeSize(box.desk);
      const pruned = await pruneDesk(box.desk, days * DAY_ms);
      const after = await storeSize(box.desk);
      out.answer({ ...pruned, before, after }, ({ works, checkpoints }) =>
        [
          `${checkpoints} checkpoints of ${works} ended works removed`,
          `The database has ${sizeOf(after)}; before, ${sizeOf(before)}`,
        ].join('\n'),
      );
    } finally {
      await box.close();
    }
  },
};
