import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Bring an accepted answer to its thread once more, after recovery has given up',
  arguments: [['<workId>', 'the work']],
  options: [{ flags: '--reason <text>', says: 'why; goes on record', needed: true }],
  examples: ['signalbox retry-apply INV-1 --reason "the disk has room again"'],
  async run(door, args, out) {
    const workId = args.at(0);
    out.answer(await door.retryApply(workId, { reason: args.text('reason') }, args.call()), tellJudged);
  },
};
