import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Prove the ledger against itself: history, works, threads, receipts, artifacts',
  examples: ['signalbox verify', 'signalbox verify --json'],
  async run(door, _args, out) {
    const report = await door.verify();
    out.answer(report, ({ clean, works, events, receipts, checkpoints, artifacts, faults, notices }) => {
      const looked = `${works} works, ${events} events, ${receipts} receipts, ${checkpoints} checkpoints, ${artifacts} artifacts`;
      const remarks = notices > 0 ? `; ${notices} notices` : '';
      return clean ? `no differences: ${looked}${remarks}` : `${faults} differences: ${looked}${remarks}`;
    });
    const first = report.differences.find((each) => each.severity === 'fault') ?? report.differences[0];
    if (first) out.note(`${first.severity}: ${first.code}: ${first.detail}`);
    return report.clean ? 0 : 1;
  },
};
