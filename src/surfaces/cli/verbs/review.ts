import { parseJson, present } from '../args.js';
import { UsageError } from '../failures.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Judge a result: PASS, REWORK or ESCALATE on exactly the artifact you read',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: 'the wait you looked at' },
    { flags: '--artifact <sha256>', says: 'the artifact you read' },
    { flags: '--head-sha <commit>', says: 'the commit you read, for code' },
    {
      flags: '--verdict <verdict>',
      says: 'what you found',
      choices: ['PASS', 'REWORK', 'ESCALATE'],
      needed: true,
    },
    { flags: '--evidence <reference>', says: 'where it can be seen what you looked at' },
    { flags: '--finding <finding>', says: 'a sentence, or JSON {"path","message"}', repeats: true },
  ],
  examples: [
    'signalbox review INV-1 --interrupt 5f1c… --artifact 9b74… --verdict PASS --evidence file:review.md',
    'signalbox review INV-1 --interrupt 5f1c… --artifact 9b74… --verdict REWORK --evidence file:review.md --finding "line 3 is missing"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const interruptId = args.interrupt(workId);
    const artifactSha256 = args.text('artifact');
    if (artifactSha256 === undefined)
      throw new UsageError(
        `--artifact is needed: a verdict names the bytes it was made on. "signalbox show ${workId}" names the current artifact; read that one first.`,
      );
    const body = present({
      interruptId,
      artifactSha256,
      headSha: args.text('headSha'),
      verdict: args.text('verdict'),
      evidenceRef: args.text('evidence'),
      findings: args
        .list('finding')
        ?.map((each) => (each.startsWith('{') ? parseJson(each, '--finding') : each)),
    });
    out.answer(await door.review(workId, body, args.call()), tellJudged);
  },
};
