import { present } from '../args.js';
import { UsageError } from '../failures.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: "The owner's decision at the gate, on one named action",
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait you looked at' },
    { flags: '--artifact <sha256>', says: 'the artifact you read; none where the gate has none' },
    { flags: '--action <action>', says: 'what the gate asks about, such as pay', needed: true },
    {
      flags: '--decision <decision>',
      says: 'what you decide',
      choices: ['approve', 'reject', 'rework', 'hold'],
      needed: true,
    },
    { flags: '--reason <text>', says: 'why; goes on record', needed: true },
  ],
  examples: [
    'signalbox decide INV-1 --interrupt 5f1c… --artifact 9b74… --action pay --decision approve --reason "order 7 covers it"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const interruptId = args.interrupt(workId);
    const artifact = args.text('artifact');
    if (artifact === undefined)
      throw new UsageError(
        `--artifact is needed: an approval fits one artifact. "signalbox show ${workId}" names the current one; write "none" where there is none.`,
      );
    const body = present({
      interruptId,
      artifactSha256: artifact === 'none' ? null : artifact,
      action: args.text('action'),
      decision: args.text('decision'),
      reason: args.text('reason'),
    });
    out.answer(await door.decide(workId, body, args.call()), tellJudged);
  },
};
