import { present } from '../args.js';
import { clock, table } from '../table.js';
import type { VerbGroup } from '../verb.js';

const LETTER = [['<id>', 'the dead letter']] as const;
const REASON = { flags: '--reason <text>', says: 'why; goes on record', needed: true } as const;

export const verb: VerbGroup = {
  summary: 'What could not be taken in or told',
  examples: [
    'signalbox dead-letters list',
    'signalbox dead-letters redrive 0198… --reason "the server is back"',
  ],
  verbs: {
    list: {
      summary: 'List them, oldest first, with the exact total',
      options: [
        { flags: '--state <state>', says: 'which (open)', choices: ['open', 'redriven', 'closed'] },
        { flags: '--limit <number>', says: 'letters a page, 1 to 200 (50)' },
        { flags: '--cursor <cursor>', says: 'the page after this one, from nextCursor' },
      ],
      examples: ['signalbox dead-letters list --json'],
      async run(door, args, out) {
        const query = present({
          state: args.text('state'),
          limit: args.number('limit'),
          cursor: args.text('cursor'),
        });
        out.answer(await door.deadLetters(query), ({ items, total }) => {
          const rows = items.map((letter) => [
            letter.deadLetterId,
            letter.source,
            letter.attempts,
            clock(letter.createdAt),
            letter.owner,
            letter.workId,
            letter.reason,
          ]);
          return `${table(['id', 'source', 'attempts', 'since', 'owner', 'case', 'reason'], rows)}\n${items.length} of ${total}`;
        });
      },
    },
    redrive: {
      summary: 'Try one again; refused where its original was decided or told meanwhile',
      arguments: LETTER,
      options: [REASON, { flags: '--body <json>', says: 'the corrected exception' }],
      examples: ['signalbox dead-letters redrive 0198… --reason "the server is back"'],
      async run(door, args, out) {
        const body = present({ reason: args.text('reason'), body: args.json('body') });
        out.answer(
          await door.redrive(args.at(0), body, args.call()),
          ({ deadLetter }) => `redriven ${deadLetter.deadLetterId}`,
        );
      },
    },
    close: {
      summary: 'Give one up; of a delivery, this ends its case',
      arguments: LETTER,
      options: [REASON],
      examples: ['signalbox dead-letters close 0198… --reason "the shop is gone"'],
      async run(door, args, out) {
        const closed = await door.closeDeadLetter(
          args.at(0),
          present({ reason: args.text('reason') }),
          args.call(),
        );
        out.answer(closed, ({ deadLetter }) => `closed ${deadLetter.deadLetterId}`);
      },
    },
  },
};
