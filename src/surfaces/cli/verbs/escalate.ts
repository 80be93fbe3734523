import { present } from '../args.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Put one named action before the owner; the work waits at the gate',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait that is to become the gate' },
    { flags: '--action <action>', says: 'what the owner is asked to allow', needed: true },
    { flags: '--reason <text>', says: 'why; goes on record', needed: true },
  ],
  examples: ['signalbox escalate INV-1 --interrupt 5f1c… --action charge --reason "the bank takes a fee"'],
  async run(door, args, out) {
    const workId = args.at(0);
    const body = present({
      interruptId: args.interrupt(workId),
      action: args.text('action'),
      reason: args.text('reason'),
    });
    out.answer(await door.escalate(workId, body, args.call()), tellJudged);
  },
};
