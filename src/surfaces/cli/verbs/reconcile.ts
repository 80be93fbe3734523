import { present } from '../args.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Out of OUTCOME_UNKNOWN, with evidence of what happened outside',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait you looked at' },
    {
      flags: '--finding <finding>',
      says: 'what happened',
      choices: ['happened', 'did_not_happen', 'still_unknown'],
      needed: true,
    },
    { flags: '--external-id <id>', says: 'how the other side names it' },
    { flags: '--evidence <ref>', says: 'what the finding rests on', needed: true },
  ],
  examples: [
    'signalbox reconcile INV-1 --interrupt 5f1c… --finding happened --external-id TX-991 --evidence "bank statement 7"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const body = present({
      interruptId: args.interrupt(workId),
      finding: args.text('finding'),
      externalId: args.text('externalId'),
      evidenceRef: args.text('evidence'),
    });
    out.answer(await door.reconcile(workId, body, args.call()), tellJudged);
  },
};
