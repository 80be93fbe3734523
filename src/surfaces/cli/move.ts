import type { DoorLike } from '../../client.js';
import { present, type Args } from './args.js';
import { UsageError } from './failures.js';
import { tellJudged } from './tell-judged.js';
import type { DoorVerb } from './verb.js';

type Move = 'hold' | 'resume' | 'block' | 'unblock' | 'cancel';

/**
 * A verb that parks a work or takes it up again. Without --interrupt it is for whatever waits now: nothing that
 * was looked at can be decided wrongly by it.
 */
export function move(name: Move, summary: string, reason: string): DoorVerb {
  return {
    summary,
    arguments: [['<workId>', 'the work']],
    options: [
      { flags: '--reason <text>', says: 'why; goes on record', needed: true },
      { flags: '--interrupt <id>', says: 'only while this is the current wait' },
    ],
    examples: [`signalbox ${name} INV-1 --reason "${reason}"`],
    async run(door, args, out) {
      const workId = args.at(0);
      const interruptId = args.text('interrupt') ?? (await currentWait(door, workId, args));
      const body = present({ interruptId, reason: args.text('reason') });
      out.answer(await door[name](workId, body, args.call()), tellJudged);
    },
  };
}

/** @throws UsageError where the same line again must be the same request, which reading anew would make another */
async function currentWait(door: DoorLike, workId: string, args: Args): Promise<string | undefined> {
  if (args.global.idempotencyKey !== undefined)
    throw new UsageError(
      'with --idempotency-key name the wait with --interrupt: the key stands for one request',
    );
  return (await door.show(workId)).wait?.interruptId;
}
