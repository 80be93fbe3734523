import { clock, short, table } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'What was accepted, refused, and kept as reference',
  arguments: [['<workId>', 'the work']],
  examples: ['signalbox receipts INV-1', 'signalbox receipts INV-1 --json'],
  async run(door, args, out) {
    out.answer(await door.receipts(args.at(0)), (receipts) =>
      table(
        ['receipt', 'at', 'action', 'outcome', 'code', 'by', 'version', 'artifact'],
        receipts.map((receipt) => [
          receipt.receiptId,
          clock(receipt.at),
          receipt.action,
          receipt.outcome,
          receipt.code,
          receipt.principal,
          receipt.inputVersion,
          short(receipt.artifactSha256),
        ]),
      ),
    );
  },
};
