import { clock, short, table } from '../table.js';
import type { DoorVerb } from '../verb.js';

/** What an event says for itself, the most telling first: why it was refused, or what was answered and why. */
const TELLING = ['code', 'verdict', 'decision', 'outcome', 'finding', 'cause', 'reason'] as const;

const textIn = (data: Readonly<Record<string, unknown>>, name: string): string =>
  typeof data[name] === 'string' ? data[name] : '';

const whyOf = (data: Readonly<Record<string, unknown>>): string =>
  TELLING.map((name) => textIn(data, name))
    .filter((text) => text !== '')
    .join(': ');

export const verb: DoorVerb = {
  summary: 'Everything that happened to a work, oldest first',
  arguments: [['<workId>', 'the work']],
  examples: ['signalbox history INV-1', 'signalbox history INV-1 --json'],
  async run(door, args, out) {
    out.answer(await door.history(args.at(0)), (events) =>
      table(
        ['seq', 'at', 'what', 'by', 'status', 'why', 'hash'],
        events.map((event) => [
          event.seq,
          clock(event.at),
          [event.type, textIn(event.data, 'action')].join(' ').trim(),
          event.by,
          // Only what changed stands in an event.
          typeof event.changes['status'] === 'string' ? event.changes['status'] : '',
          whyOf(event.data),
          short(event.hash),
        ]),
      ),
    );
  },
};
