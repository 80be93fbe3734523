import { PARTING_OPTIONS, partingBody } from '../parting.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Give back what you hold: it is queued again with what was done',
  arguments: [['<workId>', 'the work']],
  options: PARTING_OPTIONS,
  examples: [
    'signalbox release INV-1 --interrupt 5f1c… --reason "needs somebody who reads Italian" --done "lines 1-3"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    out.answer(await door.release(workId, partingBody(args, workId), args.call()), tellJudged);
  },
};
