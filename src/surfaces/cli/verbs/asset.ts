import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Name the record that keeps a result findable',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait you answer' },
    { flags: '--ref <reference>', says: 'where the record is', needed: true },
  ],
  examples: ['signalbox asset FIX-7 --interrupt 5f1c… --ref docs/changes/fix-7.md'],
  async run(door, args, out) {
    const workId = args.at(0);
    const body = { interruptId: args.interrupt(workId), assetRef: args.text('ref') };
    out.answer(await door.asset(workId, body, args.call()), tellJudged);
  },
};
