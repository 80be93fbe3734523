import { clock, short, table } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Everything that happened to a work, oldest first',
  arguments: [['<workId>', 'the work']],
  examples: ['signalbox history INV-1', 'signalbox history INV-1 --json'],
  async run(door, args, out) {
    out.answer(await door.history(args.at(0)), (events) =>
      table(
        ['seq', 'at', 'what', 'by', 'status', 'hash'],
        events.map((event) => [
          event.seq,
          clock(event.at),
          event.type,
          event.by,
          // Only what changed stands in an event.
          typeof event.changes['status'] === 'string' ? event.changes['status'] : '',
          short(event.hash),
        ]),
      ),
    );
  },
};
