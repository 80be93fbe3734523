import { table } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'The kinds of work this desk knows',
  founds: true,
  examples: ['signalbox kinds', 'signalbox kinds --json'],
  async run(door, _args, out) {
    out.answer(await door.kinds(), (kinds) =>
      table(
        ['kind', 'identity', 'rounds', 'leaves out', 'owner only', 'what for'],
        kinds.map((kind) => [
          kind.kind,
          kind.identity.length === 0 ? 'workId' : kind.identity.join(' '),
          kind.roundLimit,
          kind.skips.join(' '),
          kind.ownerOnly.join(' '),
          kind.description,
        ]),
      ),
    );
  },
};
