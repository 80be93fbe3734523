import type { DoorLike } from '../../../client.js';
import { present } from '../args.js';
import { UsageError } from '../failures.js';
import type { DoorVerb } from '../verb.js';

type Intended = Awaited<ReturnType<DoorLike['intendEffect']>>;
type Settled = Awaited<ReturnType<DoorLike['settleEffect']>>;

export const verb: DoorVerb = {
  summary: 'Announce an external action before doing it, or report what became of it',
  arguments: [
    ['<workId>', 'the work'],
    ['<operationId>', 'the same for every attempt, whoever holds the work'],
  ],
  options: [
    { flags: '--interrupt <id>', says: 'to announce: the wait you hold' },
    { flags: '--action <action>', says: 'to announce: what will be done, such as pay' },
    { flags: '--target <target>', says: 'to announce: to what or whom' },
    { flags: '--outcome <outcome>', says: 'to report', choices: ['confirmed', 'failed', 'unknown'] },
    { flags: '--external-id <id>', says: 'how the other side names it' },
    { flags: '--evidence <ref>', says: 'what the report rests on' },
  ],
  examples: [
    'signalbox effect INV-1 pay-INV-1 --interrupt 5f1c… --action pay --target "IBAN DE…"',
    'signalbox effect INV-1 pay-INV-1 --outcome confirmed --external-id TX-991 --evidence "bank statement 7"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const operationId = args.at(1);
    const outcome = args.text('outcome');
    if (outcome !== undefined) {
      const body = present({
        outcome,
        externalId: args.text('externalId'),
        evidenceRef: args.text('evidence'),
      });
      out.answer(
        await door.settleEffect(workId, operationId, body),
        ({ effect }: Settled) => `${effect.operationId}: ${effect.outcome}`,
      );
      return;
    }
    const action = args.text('action');
    const target = args.text('target');
    if (action === undefined || target === undefined)
      throw new UsageError('to announce give --action and --target; to report give --outcome');
    const body = { interruptId: args.interrupt(workId), operationId, action, target };
    out.answer(await door.intendEffect(workId, body), ({ effect, goAhead }: Intended) =>
      goAhead
        ? `go ahead with ${effect.operationId}, once`
        : `do not: ${effect.operationId} is on record as ${effect.outcome}`,
    );
  },
};
