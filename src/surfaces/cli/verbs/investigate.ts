import type { DoorLike } from '../../../client.js';
import { present } from '../args.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

type Traces = Awaited<ReturnType<DoorLike['investigation']>>;

export const verb: DoorVerb = {
  summary: 'After a reservation ran out: look at what is there, then record what was found',
  arguments: [['<workId>', 'the work']],
  options: [
    {
      flags: '--finding <finding>',
      says: 'left out, only what is there is shown',
      choices: ['result_found', 'nothing_found', 'outcome_unknown'],
    },
    { flags: '--evidence <ref>', says: 'what the finding rests on' },
    {
      flags: '--adopts <id>',
      says: 'for result_found: a receipt ID of a late result, or the sha256 of what was stored',
    },
    { flags: '--interrupt <id>', says: 'only while this is the current wait' },
  ],
  examples: [
    'signalbox investigate INV-1',
    'signalbox investigate INV-1 --finding nothing_found --evidence "agent log ends at 14:02"',
    'signalbox investigate INV-1 --finding result_found --adopts 01a2… --evidence "result is complete"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const finding = args.text('finding');
    if (finding === undefined) {
      out.answer(await door.investigation(workId), tellTraces);
      return;
    }
    const body = present({
      finding,
      evidenceRef: args.text('evidence'),
      adopts: args.text('adopts'),
      interruptId: args.text('interrupt'),
    });
    out.answer(await door.investigate(workId, body, args.call()), tellJudged);
  },
};

function tellTraces({ workId, status, lease, partials, unsubmitted, lateResults, effects }: Traces): string {
  const held = lease
    ? `held by ${lease.holder}, ${lease.state}, until ${lease.expiresAt ?? 'the pause ends'}; last answer ${lease.lastAnswerAt}`
    : 'held by nobody';
  return [
    `${workId} is ${status}, ${held}`,
    `partial results: ${partials.length === 0 ? 'none' : partials.map((each) => `${each.artifactSha256} (${each.items.join(', ')})`).join('; ')}`,
    `stored, not handed in: ${unsubmitted.length === 0 ? 'none' : unsubmitted.map((each) => each.sha256).join(', ')}`,
    `late results: ${lateResults.length === 0 ? 'none' : lateResults.map((each) => `${each.receiptId} by ${each.principal} (${each.code ?? ''})`).join('; ')}`,
    `effects: ${effects.length === 0 ? 'none' : effects.map((each) => `${each.operationId} ${each.action} ${each.outcome}`).join('; ')}`,
  ].join('\n');
}
