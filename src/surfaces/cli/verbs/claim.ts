import type { DoorLike } from '../../../client.js';
import { CASE_KIND } from '../../../core/case.js';
import { present, type Args } from '../args.js';
import { UsageError } from '../failures.js';
import { clock, fields, plain } from '../table.js';
import type { DoorVerb } from '../verb.js';

type Claim = NonNullable<Awaited<ReturnType<DoorLike['claimNext']>>>['claim'];

/** The line that answers a claim, as it is to be typed: a case is decided, everything else is submitted. */
function nextLine({ kind, workId, interruptId, inputVersion, input }: Claim, args: Args): string {
  const who = args.global.as === undefined ? [] : [`--as ${args.global.as}`];
  const wait = `--interrupt ${interruptId} --input-version ${inputVersion}`;
  if (kind !== CASE_KIND) return [`submit ${workId}`, ...who, wait, '--file RESULT'].join(' ');
  const { version, sha256 } = operationIn(input);
  const operation = version === undefined ? [] : [`--operation ${version}:${sha256 ?? ''}`];
  return [
    `exception decide ${workId}`,
    ...who,
    wait,
    ...operation,
    '--decision DECISION --reason "WHY"',
  ].join(' ');
}

/** The operation that a case asks about; nothing where it names none. */
function operationIn(input: unknown): { readonly version?: string; readonly sha256?: string } {
  return (input as { operation?: { version: string; sha256: string } | null } | null)?.operation ?? {};
}

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
    if (claim?.status === 'IN_PROGRESS' && !out.json) out.note(`next: signalbox ${nextLine(claim, args)}`);
  },
};
