import { present } from '../args.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Report how a merged result has done',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait you answer' },
    { flags: '--outcome <outcome>', says: 'how it went', choices: ['ok', 'regressed'], needed: true },
    { flags: '--evidence <reference>', says: 'where it can be seen' },
  ],
  examples: ['signalbox observe FIX-7 --interrupt 5f1c… --outcome ok --evidence dashboard:errors'],
  async run(door, args, out) {
    const workId = args.at(0);
    const body = present({
      interruptId: args.interrupt(workId),
      outcome: args.text('outcome'),
      evidenceRef: args.text('evidence'),
    });
    out.answer(await door.observe(workId, body, args.call()), tellJudged);
  },
};
