import type { DoorLike } from '../../../client.js';
import { Refusal } from '../../../core/refusals.js';
import { present, type Args } from '../args.js';
import { everyWork } from '../every-page.js';
import { UsageError } from '../failures.js';
import { noteSome } from '../out.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

/** Promotions under way at the same time: enough to share the ledger's commits. */
const AT_ONCE = 16;

export const verb: DoorVerb = {
  summary: 'Say that discovered works are work: DISCOVERED to READY',
  arguments: [['[workId...]', 'the works']],
  options: [
    { flags: '--reason <text>', says: 'why; goes on record', needed: true },
    { flags: '--interrupt <id>', says: 'only while this is the current wait; for one work' },
    { flags: '--all', says: 'everything discovered that meets the filters below' },
    { flags: '--status <status>', says: 'the same as --all', choices: ['DISCOVERED'] },
    { flags: '--kind <kind>', says: 'of these kinds only', repeats: true },
    { flags: '--q <text>', says: 'only where this is in the title or ID' },
  ],
  examples: [
    'signalbox promote INV-1 --reason "ours to pay"',
    'signalbox promote INV-1 INV-2 --reason "ours to pay"',
    'signalbox promote --all --kind invoice-check --reason "this month\'s invoices"',
  ],
  async run(door, args, out) {
    const workIds = await chosen(door, args);
    const body = present({ interruptId: args.text('interrupt'), reason: args.text('reason') });
    const [first, ...rest] = workIds;
    if (first !== undefined && rest.length === 0 && args.all(0).length === 1) {
      out.answer(await door.promote(first, body, args.call()), tellJudged);
      return;
    }
    if (args.text('interrupt') !== undefined || args.global.idempotencyKey !== undefined)
      throw new UsageError('--interrupt and --idempotency-key are for one work');
    const promoted: string[] = [];
    const refused: { workId: string; code: string; detail: string }[] = [];
    const waiting = workIds.values();
    const promoteRest = async (): Promise<void> => {
      for (const workId of waiting) {
        try {
          await door.promote(workId, body);
          promoted.push(workId);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refused.push({ workId, code: error.code, detail: error.detail });
        }
        out.progress(`promoted ${promoted.length} of ${workIds.length}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, promoteRest));
    out.progress('');
    out.answer({ promoted, refused }, () => `promoted ${promoted.length} of ${workIds.length}`);
    noteSome(out, refused, ({ workId, code, detail }) => `${code}: ${workId}: ${detail}`);
    return refused.length > 0 ? 1 : 0;
  },
};

async function chosen(door: DoorLike, args: Args): Promise<readonly string[]> {
  const named = args.all(0);
  const all = args.flag('all') || args.text('status') !== undefined;
  if (all === named.length > 0) throw new UsageError('name the works, or say --all');
  if (!all) return [...new Set(named)];
  const query = present({ kind: args.list('kind'), q: args.text('q') });
  const { items } = await everyWork(door, { ...query, status: 'DISCOVERED' });
  return items.map((work) => work.workId);
}
