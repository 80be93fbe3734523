import { STATUSES } from '../../../core/work.js';
import type { DoorVerb } from '../verb.js';
import { present } from '../args.js';
import { everyWork } from '../every-page.js';
import { clock, table } from '../table.js';

export const verb: DoorVerb = {
  summary: 'List works, with the exact total',
  options: [
    { flags: '--status <status>', says: 'only these statuses', choices: STATUSES, repeats: true },
    { flags: '--kind <kind>', says: 'only these kinds', repeats: true },
    { flags: '--holder <principal>', says: 'only what this one holds' },
    { flags: '--overdue', says: 'only what is past its due time' },
    { flags: '--unowned', says: 'only what nobody holds' },
    { flags: '--q <text>', says: 'only where this is in the title or ID' },
    {
      flags: '--sort <order>',
      says: 'the order',
      choices: ['created', '-created', 'updated', '-updated', 'priority', 'due'],
    },
    { flags: '--limit <number>', says: 'works a page, 1 to 200 (50)' },
    { flags: '--cursor <cursor>', says: 'the page after this one, from nextCursor' },
    { flags: '--all', says: 'every page' },
  ],
  examples: [
    'signalbox list',
    'signalbox list --status READY --status REWORK --sort priority',
    'signalbox list --overdue --json',
  ],
  async run(door, args, out) {
    const query = present({
      status: args.list('status'),
      kind: args.list('kind'),
      holder: args.text('holder'),
      overdue: args.flag('overdue') || undefined,
      unowned: args.flag('unowned') || undefined,
      q: args.text('q'),
      sort: args.text('sort'),
    });
    const paging = present({ limit: args.number('limit'), cursor: args.text('cursor') });
    const page = args.flag('all') ? await everyWork(door, query) : await door.list({ ...query, ...paging });
    out.answer(page, ({ items, nextCursor, total }) => {
      const rows = items.map((work) => [
        work.workId,
        work.status,
        work.kind,
        work.holder,
        work.round,
        clock(work.updatedAt),
        work.title,
      ]);
      const count = `${items.length} of ${total}`;
      const more = nextCursor === null ? '' : `; next page: --cursor ${nextCursor}, or --all`;
      return `${table(['work', 'status', 'kind', 'holder', 'round', 'updated', 'title'], rows)}\n${count}${more}`;
    });
  },
};
