import { PARTING_OPTIONS, partingBody } from '../parting.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Change the holder: to somebody by name, or back to the queue',
  arguments: [['<workId>', 'the work']],
  options: [
    ...PARTING_OPTIONS,
    { flags: '--to <principal>', says: 'who takes over; left out, the queue' },
    {
      flags: '--cause <cause>',
      says: 'what kind of change',
      choices: ['expired', 'expertise', 'release', 'operator'],
    },
  ],
  examples: [
    'signalbox handoff INV-1 --interrupt 5f1c… --to ben --cause expertise --reason "ben knows this supplier"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const to = args.text('to');
    const cause = args.text('cause');
    const body = {
      ...partingBody(args, workId),
      ...(to === undefined ? {} : { to }),
      ...(cause === undefined ? {} : { cause }),
    };
    out.answer(await door.handoff(workId, body, args.call()), tellJudged);
  },
};
