import type { DoorLike } from '../../../client.js';
import type { DoorVerb } from '../verb.js';

type Rules = Awaited<ReturnType<DoorLike['rules']>>;

export const verb: DoorVerb = {
  summary: 'What the desk checks for a kind, in sentences',
  arguments: [['<kind>', 'the kind']],
  founds: true,
  examples: ['signalbox rules invoice-check'],
  async run(door, args, out) {
    out.answer(await door.rules(args.at(0)), ({ rules }: Rules) =>
      rules.map((each) => `${each.about.padEnd(16)} ${each.rule}`).join('\n'),
    );
  },
};
