import { BASKET_VIEWS } from '../../../operations/basket/views.js';
import { present } from '../args.js';
import { clock, table } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'What waits for people, the most pressing first',
  options: [
    { flags: '--view <view>', says: 'which part (unclaimed)', choices: BASKET_VIEWS },
    { flags: '--kind <kind>', says: 'only this kind' },
    { flags: '--team <team>', says: "only this team's cases" },
    { flags: '--holder <principal>', says: 'only what this one holds' },
    { flags: '--limit <number>', says: 'items a page, 1 to 200 (50)' },
    { flags: '--cursor <cursor>', says: 'the page after this one, from nextCursor' },
  ],
  examples: [
    'signalbox basket',
    'signalbox basket --view overdue --team night',
    'signalbox basket --view not_applied --json',
  ],
  async run(door, args, out) {
    const query = present({
      view: args.text('view'),
      kind: args.text('kind'),
      team: args.text('team'),
      holder: args.text('holder'),
      limit: args.number('limit'),
      cursor: args.text('cursor'),
    });
    out.answer(await door.basket(query), ({ items, total, nextCursor }) => {
      const rows = items.map((item) =>
        'deadLetterId' in item
          ? [item.deadLetterId, item.source, null, null, item.owner, clock(item.createdAt), item.reason]
          : [
              item.workId,
              item.status,
              item.impact,
              item.urgency,
              item.holder ?? item.case?.team,
              clock(item.dueAt),
              item.title,
            ],
      );
      const heads = ['item', 'status', 'impact', 'urgency', 'with', 'due', 'title'];
      const more = nextCursor === null ? '' : `; next page: --cursor ${nextCursor}`;
      return `${table(heads, rows)}\n${items.length} of ${total}${more}`;
    });
  },
};
