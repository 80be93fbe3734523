import { present } from '../args.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Leave advice on a work; it moves nothing',
  arguments: [
    ['<workId>', 'the work'],
    ['<text>', 'the note'],
  ],
  options: [{ flags: '--evidence <ref>', says: 'what it rests on' }],
  examples: ['signalbox note INV-1 "the supplier changed banks in May"'],
  async run(door, args, out) {
    const body = present({ text: args.at(1), evidenceRef: args.text('evidence') });
    out.answer(await door.note(args.at(0), body, args.call()), () => 'noted');
  },
};
