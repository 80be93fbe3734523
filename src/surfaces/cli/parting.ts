import { present, type Args } from './args.js';
import type { Option } from './verb.js';

/** What both ways of letting go of a work tell the next holder. */
export const PARTING_OPTIONS: readonly Option[] = [
  { flags: '--interrupt <id>', says: 'the interruptId of the wait you let go of' },
  { flags: '--reason <text>', says: 'why; goes on record', needed: true },
  { flags: '--done <item>', says: 'an item that is done; by default what was reported', repeats: true },
  { flags: '--left <item>', says: 'an item that is left', repeats: true },
  { flags: '--partial <sha256>', says: 'an intermediate result; by default what was saved', repeats: true },
  { flags: '--note <text>', says: 'a word to the next holder' },
];

export function partingBody(args: Args, workId: string) {
  return present({
    interruptId: args.interrupt(workId),
    reason: args.text('reason'),
    itemsDone: given(args.list('done')),
    itemsLeft: given(args.list('left')),
    partials: given(args.list('partial')),
    note: args.text('note'),
  });
}

/** An option that was not given leaves it to the record; one that was, speaks for itself. */
function given<T>(values: readonly T[] | undefined): readonly T[] | undefined {
  return values === undefined || values.length === 0 ? undefined : values;
}
