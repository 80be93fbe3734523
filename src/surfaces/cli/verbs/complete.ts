import { present } from '../args.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Report that the result was merged, published or paid',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait you answer' },
    { flags: '--artifact <sha256>', says: 'the artifact it was done with' },
    {
      flags: '--outcome <outcome>',
      says: 'what happened; merged also for published and paid',
      choices: ['merged', 'conflict', 'unknown'],
      needed: true,
    },
    { flags: '--external-id <id>', says: 'how it is known outside' },
    { flags: '--evidence <reference>', says: 'where it can be seen' },
  ],
  examples: [
    'signalbox complete INV-1 --interrupt 5f1c… --artifact 9b74… --outcome merged --external-id PAY-88 --evidence bank:88',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const body = present({
      interruptId: args.interrupt(workId),
      artifactSha256: args.text('artifact'),
      outcome: args.text('outcome'),
      externalId: args.text('externalId'),
      evidenceRef: args.text('evidence'),
    });
    out.answer(await door.complete(workId, body, args.call()), tellJudged);
  },
};
