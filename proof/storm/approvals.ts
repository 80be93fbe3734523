import type { HistoryRow, ReceiptRow } from '../../src/ledger/rows.js';

interface Standing {
  status: string;
  artifact: string | null;
  approval: string | null;
}

/**
 * I7, held against the history as it is read, event by event: an approval is what one accepted decision gave, for the
 * artifact that the work had then; nothing else makes one, none is given twice, and none outlives the entrance to a gate
 * or another artifact.
 */
export class Approvals {
  private readonly works = new Map<string, Standing>();
  private readonly given = new Set<string>();
  readonly against: string[] = [];
  looked = 0;

  constructor(private readonly receipts: ReadonlyMap<string, ReceiptRow>) {}

  see(event: HistoryRow): void {
    const changes = JSON.parse(event.changes) as Partial<{
      status: string;
      artifact_sha256: string | null;
      approval: string | null;
    }>;
    const before = this.works.get(event.work_id) ?? { status: '', artifact: null, approval: null };
    const after: Standing = {
      status: changes.status ?? before.status,
      artifact: changes.artifact_sha256 === undefined ? before.artifact : changes.artifact_sha256,
      approval: changes.approval === undefined ? before.approval : changes.approval,
    };
    this.works.set(event.work_id, after);
    if (after.approval === null) return;
    const blame = (why: string) => this.against.push(`I7: ${event.work_id} ${event.seq}: ${why}`);
    if (after.status === 'OWNER_GATE' && before.status !== 'OWNER_GATE')
      blame('an approval entered the gate');
    const { artifactSha256 } = JSON.parse(after.approval) as { artifactSha256: string | null };
    if (artifactSha256 !== after.artifact) blame('an approval stands for another artifact');
    if (after.approval !== before.approval) this.make(event, artifactSha256, blame);
  }

  private make(event: HistoryRow, artifactSha256: string | null, blame: (why: string) => void): void {
    this.looked += 1;
    const { receiptId = '' } = JSON.parse(event.data) as { receiptId?: string };
    const receipt = this.receipts.get(receiptId);
    const { submission } = JSON.parse(receipt?.body ?? '{}') as { submission?: { decision?: string } };
    if (receipt?.action !== 'decide' || receipt.outcome !== 'accepted' || submission?.decision !== 'approve')
      blame(`an approval that ${receipt?.action ?? 'nothing'} ${receiptId} gave`);
    if (receipt?.artifact_sha256 !== artifactSha256) blame('an approval of what its decision did not name');
    if (this.given.has(receiptId)) blame(`the decision ${receiptId} gave two approvals`);
    this.given.add(receiptId);
  }
}
