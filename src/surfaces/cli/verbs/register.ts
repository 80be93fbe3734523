import { parseJson, present } from '../args.js';
import { UsageError } from '../failures.js';
import { readText } from '../read-source.js';
import { clock, fields } from '../table.js';
import type { DoorVerb } from '../verb.js';

const GRADES = ['low', 'medium', 'high', 'critical'] as const;

export const verb: DoorVerb = {
  summary: 'Register work: the same identity and content again changes nothing',
  founds: true,
  options: [
    { flags: '--kind <kind>', says: 'what sort of work (generic)' },
    { flags: '--work-id <id>', says: 'its ID; left out, one is derived from its identity' },
    { flags: '--title <text>', says: 'a title' },
    { flags: '--input <json>', says: 'what is to be worked on' },
    { flags: '--file <path>', says: 'the input as a JSON file; - reads stdin' },
    { flags: '--correction <reason>', says: 'the content of known work has changed, and why' },
    { flags: '--priority <number>', says: '0 first to 9 last' },
    { flags: '--impact <grade>', says: 'how much hangs on it', choices: GRADES },
    { flags: '--urgency <grade>', says: 'how soon it is needed', choices: GRADES },
    { flags: '--due-at <time>', says: 'RFC 3339, such as 2025-05-02T12:00:00Z' },
    { flags: '--blocked-by <workId>', says: 'must be done first', repeats: true },
    { flags: '--source <json>', says: 'where it comes from' },
  ],
  examples: [
    `signalbox register --work-id fix-login --title "Fix the login" --input '{"page":"/login"}'`,
    'signalbox register --kind invoice-check --file invoice.json',
    'signalbox register --kind invoice-check --file invoice.json --correction "ten pallets, not twelve"',
  ],
  async run(door, args, out) {
    const file = args.text('file');
    if ((file === undefined) === (args.text('input') === undefined))
      throw new UsageError('give the input either with --input or with --file');
    const reason = args.text('correction');
    const body = present({
      kind: args.text('kind'),
      workId: args.text('workId'),
      title: args.text('title'),
      input: file === undefined ? args.json('input') : parseJson(await readText(file), file),
      correction: reason === undefined ? undefined : { reason },
      priority: args.number('priority'),
      impact: args.text('impact'),
      urgency: args.text('urgency'),
      dueAt: args.text('dueAt'),
      blockedBy: args.list('blockedBy'),
      source: args.json('source'),
    });
    out.answer(await door.register(body, args.call()), ({ outcome, work }) =>
      fields([
        ['outcome', outcome],
        ['work', work.workId],
        ['status', work.status],
        ['holder', work.holder],
        ['input version', work.inputVersion],
        ['registered', clock(work.createdAt)],
      ]),
    );
  },
};
