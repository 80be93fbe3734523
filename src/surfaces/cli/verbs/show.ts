import type { DoorVerb } from '../verb.js';
import { clock, fields, plain } from '../table.js';
import { approvalsLine } from '../tell-judged.js';

export const verb: DoorVerb = {
  summary: 'Show a work: what it waits for, who holds it, its input',
  arguments: [['<workId>', 'the work']],
  examples: ['signalbox show INV-1', 'signalbox show INV-1 --json'],
  async run(door, args, out) {
    out.answer(await door.show(args.at(0)), (work) => {
      const { wait, lease } = work;
      const about = fields([
        ['work', work.workId],
        ['title', work.title],
        ['kind', work.kind],
        ['status', work.status],
        ['waits for', wait?.waitsFor],
        ['interrupt', wait?.interruptId],
        ['since', clock(wait?.since)],
        ['may be answered by', wait?.expects.actions.join(', ')],
        ['gate', work.gate ? `${work.gate.action}: ${work.gate.reason}` : null],
        ['approvals', approvalsLine(work.approvals)],
        ['holder', work.holder],
        ['lease', lease ? `${lease.state}, until ${clock(lease.expiresAt) ?? 'parked'}` : null],
        ['round', work.round],
        ['input version', work.inputVersion],
        ['artifact', work.artifactSha256],
        ['commit', work.headSha],
        ['author', work.author],
        ['blocked by', work.blockedBy.join(', ')],
        ['due', clock(work.dueAt)],
        ['external ID', work.externalId],
        ['asset', work.assetRef],
        ['follows', work.follows],
        [
          'not applied',
          work.notApplied
            ? `since ${clock(work.notApplied.since)}: ${work.notApplied.error ?? 'not yet'}`
            : null,
        ],
        ['thread', work.threadId],
      ]);
      const findings = work.findings.map(
        ({ validator, path, message }) =>
          `  ${plain([validator, path].filter((each) => each !== '').join(' '))}: ${plain(message)}`,
      );
      const found = findings.length > 0 ? `\nfindings\n${findings.join('\n')}` : '';
      return `${about}${found}\ninput\n${JSON.stringify(work.input, null, 2)}`;
    });
  },
};
