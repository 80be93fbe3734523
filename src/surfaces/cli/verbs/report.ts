import { dailyMarkdown } from '../../../operations/basket/daily-markdown.js';
import { present } from '../args.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: "A day's close as Markdown, or as JSON with --json",
  options: [{ flags: '--date <date>', says: 'the day in UTC, such as 2026-05-02 (today)' }],
  examples: ['signalbox report', 'signalbox report --date 2026-05-02 > close.md'],
  async run(door, args, out) {
    out.answer(await door.dailyReport(present({ date: args.text('date') })), dailyMarkdown);
  },
};
