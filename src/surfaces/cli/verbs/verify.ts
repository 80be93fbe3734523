import type { VerifyReport } from '../../../operations/verify.js';
import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'Prove the ledger against itself: history, works, threads, artifacts; on a folder, of all tenants',
  asDoor: true,
  examples: ['signalbox verify', 'signalbox verify --json'],
  async runAlone(reach, _args, out) {
    const { door, whole, close } = await reach.door();
    try {
      const { verifyDesk } = await import('../../../operations/verify.js');
      const report = whole ? await verifyDesk(whole.desk) : { ...(await door.verify()), tenants: undefined };
      out.answer(report, tell);
      const first = report.differences.find((each) => each.severity === 'fault') ?? report.differences[0];
      if (first) out.note(`${first.severity}: ${first.code}: ${first.detail}`);
      return report.clean ? 0 : 1;
    } finally {
      await close();
    }
  },
};

function tell(report: VerifyReport & { readonly tenants: readonly string[] | undefined }): string {
  const { clean, works, events, receipts, checkpoints, artifacts, faults, notices, tenants } = report;
  const looked = `${works} works, ${events} events, ${receipts} receipts, ${checkpoints} checkpoints, ${artifacts} artifacts`;
  const of = tenants
    ? `of ${tenants.length === 1 ? 'tenant' : 'tenants'} ${tenants.join(', ')}`
    : 'of your tenant';
  const remarks = notices > 0 ? `; ${notices} notices` : '';
  return `${clean ? 'no differences' : `${faults} differences`}: ${looked} ${of}${remarks}`;
}
