import { present } from '../args.js';
import { UsageError } from '../failures.js';
import { clock, fields, plain } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Claim a work by its ID, or the next one that is ready',
  arguments: [['[workId]', 'this very work']],
  options: [
    { flags: '--kind <kind>', says: 'the next of these kinds', repeats: true },
    {
      flags: '--status <status>',
      says: 'the next in this status',
      choices: ['READY', 'REWORK'],
      repeats: true,
    },
    { flags: '--interrupt <id>', says: 'only while this is the current wait; for one work' },
  ],
  examples: [
    'signalbox claim',
    'signalbox claim --kind invoice-check --json',
    'signalbox claim INV-1 --as alice',
  ],
  async run(door, args, out) {
    const workId = args.maybe(0);
    const kinds = args.list('kind');
    const statuses = args.list('status');
    const interruptId = args.text('interrupt');
    if (workId !== undefined && (kinds ?? statuses))
      throw new UsageError('--kind and --status are for the next work; this one is named');
    if (workId === undefined && interruptId !== undefined)
      throw new UsageError('--interrupt is for a work that is named');
    const claimed =
      workId === undefined
        ? await door.claimNext(present({ kinds, statuses }), args.call())
        : await door.claim(workId, present({ interruptId }), args.call());
    out.answer(claimed ?? { claim: null }, ({ claim }) => {
      if (claim === null) return 'nothing to claim';
      const about = fields([
        ['work', claim.workId],
        ['title', claim.title],
        ['kind', claim.kind],
        ['status', claim.status],
        ['interrupt', claim.interruptId],
        ['input version', claim.inputVersion],
        ['artifact', claim.artifactSha256],
        ['lease until', clock(claim.leaseExpiresAt)],
        ['round', claim.round],
      ]);
      const findings = claim.findings.map(({ path, message }) => `\nfinding  ${plain(`${path} ${message}`)}`);
      return `${about}${findings.join('')}\ninput\n${JSON.stringify(claim.input, null, 2)}`;
    });
    const claim = claimed?.claim;
    if (claim?.status === 'IN_PROGRESS' && !out.json)
      out.note(
        [
          `next: signalbox submit ${claim.workId}`,
          ...(args.global.as === undefined ? [] : [`--as ${args.global.as}`]),
          `--interrupt ${claim.interruptId} --input-version ${claim.inputVersion} --file RESULT`,
        ].join(' '),
      );
  },
};
