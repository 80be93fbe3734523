import { present } from '../args.js';
import { clock, fields } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Extend the lease of what you hold, with the progress made',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: "the claim's interruptId" },
    { flags: '--done <number>', says: 'how much is done' },
    { flags: '--total <number>', says: 'of how much' },
    { flags: '--note <text>', says: 'what is going on' },
    { flags: '--item <item>', says: 'an item that is done', repeats: true },
  ],
  examples: ['signalbox renew INV-1 --interrupt 5f1c… --done 3 --total 8 --note "lines checked"'],
  async run(door, args, out) {
    const workId = args.at(0);
    const progress = present({
      done: args.number('done'),
      total: args.number('total'),
      note: args.text('note'),
      itemsDone: args.list('item'),
    });
    const body = {
      interruptId: args.interrupt(workId),
      ...(Object.keys(progress).length > 0 ? { progress } : {}),
    };
    out.answer(await door.renew(workId, body, args.call()), ({ leaseExpiresAt, lease }) =>
      fields([
        ['lease until', clock(leaseExpiresAt)],
        ['at most until', clock(lease.limitAt)],
        ['state', lease.state],
        ['extensions', lease.extensions],
      ]),
    );
  },
};
