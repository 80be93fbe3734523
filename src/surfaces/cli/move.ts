import { present } from './args.js';
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
      const body = present({ interruptId: args.text('interrupt'), reason: args.text('reason') });
      out.answer(await door[name](args.at(0), body, args.call()), tellJudged);
    },
  };
}
