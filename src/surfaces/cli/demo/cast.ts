import type { DoorLike } from '../../../client.js';
import type { Signalbox } from '../../../open-signalbox.js';
import type { Story } from './story.js';
import type { InvoiceReport } from './check-invoice.js';

/** Who plays: two workers of whom one may also review, one more worker, a reviewer, an operator, a scout. */
export const CAST = {
  inbox: ['scout'],
  ada: ['worker', 'reviewer'],
  ben: ['worker'],
  rita: ['reviewer'],
  olga: ['operator'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export async function enlist(owner: DoorLike): Promise<void> {
  for (const [name, roles] of Object.entries(CAST)) await owner.putPrincipal({ name, roles });
}

/** What every scene plays with. */
export interface Stage {
  readonly box: Signalbox;
  readonly story: Story;
}

/** What a claim gave its holder to answer with. */
export interface Held {
  readonly workId: string;
  readonly interruptId: string | null;
  readonly inputVersion: number;
  readonly input: unknown;
}

/** Stores a report and submits it for what is held. */
export async function handIn(door: DoorLike, held: Held, report: InvoiceReport) {
  const { sha256 } = await door.putArtifact(JSON.stringify(report, null, 2), 'application/json');
  const { workId, interruptId, inputVersion } = held;
  return await door.submit(workId, { interruptId: interruptId ?? '', inputVersion, artifact: { sha256 } });
}

/** Claims, works and hands in, one accepted step after the other. */
export async function workOn(
  { box, story }: Stage,
  who: string,
  workId: string,
  check: (input: unknown) => InvoiceReport,
): Promise<void> {
  const door = box.as(who);
  const { claim } = await story.does(
    who,
    `claims ${workId}`,
    () => door.claim(workId, {}),
    (claimed) =>
      claimed.claim.findings.map(({ message }) => `finding from the last round: ${message}`).join('; '),
  );
  const report = check(claim.input);
  await story.does(who, `hands in a report that says "${report.decision}"`, () =>
    handIn(door, claim, report),
  );
}

/** Judges what stands at VP_REVIEW now. */
export async function judge(
  { box, story }: Stage,
  who: string,
  workId: string,
  verdict: 'PASS' | 'REWORK',
  findings: readonly string[] = [],
): Promise<void> {
  const door = box.as(who);
  const { wait, artifactSha256 } = await door.show(workId);
  const body = {
    interruptId: wait?.interruptId,
    artifactSha256,
    verdict,
    evidenceRef: `artifact:${artifactSha256 ?? ''}`,
    ...(findings.length > 0 ? { findings } : {}),
  };
  await story.does(
    who,
    `reads artifact ${artifactSha256?.slice(0, 12) ?? ''} and says ${verdict}`,
    () => door.review(workId, body),
    () => findings.join('; '),
  );
}
