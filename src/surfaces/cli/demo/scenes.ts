import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../../core/refusals.js';
import type { Kind } from '../../../core/kind.js';
import type { Signalbox } from '../../../open-signalbox.js';
import { believeInvoice, checkInvoice } from './check-invoice.js';
import { handIn, judge, workOn, type Held, type Stage } from './cast.js';

/** The lease in the race: long enough to lose it in a story, short enough to wait for. */
const SHORT_LEASE_ms = 1_500;

interface Sample {
  readonly input: unknown;
  readonly correction?: { readonly reason: string };
}

/** Invoices come in; the same one twice is one work. @returns the workIds, in the order of the samples */
export async function arrive({ box, story }: Stage, samples: readonly Sample[]): Promise<string[]> {
  story.scene(
    'Invoices come in',
    'Their identity is issuer, number and period: what arrives twice is one work.',
  );
  const inbox = box.as('inbox');
  const workIds: string[] = [];
  for (const { input } of [...samples, samples[0]].filter((sample) => sample !== undefined)) {
    const { work } = await story.does(
      'inbox',
      `registers ${String((input as { invoiceNumber?: unknown }).invoiceNumber)}`,
      () => inbox.register({ kind: 'invoice-check', input }),
      ({ outcome, work: { workId } }) => `${outcome}: ${workId}`,
    );
    if (!workIds.includes(work.workId)) workIds.push(work.workId);
  }
  const olga = box.as('olga');
  for (const workId of workIds)
    await story.does('olga', `promotes ${workId}`, () => olga.promote(workId, { reason: 'ours to pay' }));
  return workIds;
}

/** Two claim at once; who wins goes silent. @returns who, with what it was given to answer with */
export async function race(
  { story }: Stage,
  openWith: (kinds: readonly Kind[]) => Promise<Signalbox>,
  kind: Kind,
  workId: string,
): Promise<{ readonly silent: string; readonly other: string; readonly held: Held }> {
  story.scene('Two workers race for one invoice', 'Both ask in the same moment. Exactly one gets it.');
  const lease = { ...kind.lease, lease_ms: SHORT_LEASE_ms, leaseLimit_ms: SHORT_LEASE_ms };
  const hasty = await openWith([{ ...kind, lease }]);
  try {
    const names = ['ada', 'ben'];
    const claims = await Promise.allSettled(names.map((name) => hasty.as(name).claim(workId, {})));
    const winner = claims.findIndex((claim) => claim.status === 'fulfilled');
    const won = claims[winner];
    const lost = claims[1 - winner];
    const [silent = '', other = ''] = [names[winner], names[1 - winner]];
    if (won?.status !== 'fulfilled' || lost?.status !== 'rejected' || !(lost.reason instanceof Refusal))
      throw new Error('of two claims at once exactly one is accepted');
    await story.does(silent, `claims ${workId}`, () => Promise.resolve(won.value));
    story.refused(other, `claims ${workId}`, workId, lost.reason);
    return { silent, other, held: won.value.claim };
  } finally {
    await hasty.close();
  }
}

/** The winner goes silent, is investigated and replaced, and comes back late. */
export async function silence(
  stage: Stage,
  { silent, other, held }: { readonly silent: string; readonly other: string; readonly held: Held },
): Promise<void> {
  const { box, story } = stage;
  const { workId } = held;
  story.scene(
    `${silent} goes silent`,
    `The lease runs out after ${SHORT_LEASE_ms / 1000} s. That alone starts nothing: somebody has to look first.`,
  );
  await sleep(SHORT_LEASE_ms + 200);
  await story.isRefused(other, `claims ${workId}`, workId, () => box.as(other).claim(workId, {}));
  const olga = box.as('olga');
  const { wait } = await olga.show(workId);
  await story.does('olga', 'investigates: nothing was left behind', () =>
    olga.investigate(workId, {
      interruptId: wait?.interruptId,
      finding: 'nothing_found',
      evidenceRef: 'log:worker-host/last-hour',
    }),
  );
  const door = box.as(other);
  const { claim } = await story.does(other, `takes over ${workId}`, () => door.claim(workId, {}));
  const late = await story.isRefused(silent, 'comes back late with a result', workId, () =>
    handIn(box.as(silent), held, checkInvoice(held.input)),
  );
  const kept = (await olga.receipts(workId)).find(({ receiptId }) => receiptId === late.details.receiptId);
  story.say(`          kept as ${kept?.outcome ?? 'nothing'}: a holder may adopt it by receipt ID`);
  await story.does(other, 'hands in its own report', () => handIn(door, claim, checkInvoice(claim.input)));
}

/** The invoice that ben works on is corrected meanwhile. */
export async function correction({ box, story }: Stage, workId: string, corrected: Sample): Promise<void> {
  story.scene(
    'A correction arrives in the middle of the work',
    'It is the same work with a new input version.',
  );
  const ben = box.as('ben');
  const { claim } = await story.does('ben', `claims ${workId}`, () => ben.claim(workId, {}));
  await story.does(
    'inbox',
    'registers the corrected invoice',
    () =>
      box.as('inbox').register({
        kind: 'invoice-check',
        input: corrected.input,
        correction: corrected.correction ?? { reason: 'sent again, corrected' },
      }),
    ({ outcome, work }) => `${outcome}: input version ${work.inputVersion}`,
  );
  await story.isRefused('ben', 'hands in what he made of the old version', workId, () =>
    handIn(ben, claim, checkInvoice(claim.input)),
  );
  const now = await ben.show(workId);
  const held = { ...now, interruptId: now.wait?.interruptId ?? null };
  await story.does('ben', `reads version ${now.inputVersion} and hands in again`, () =>
    handIn(ben, held, checkInvoice(now.input)),
  );
}

/** A report that believed the printed total is sent back; the next round passes. */
export async function rework(stage: Stage, workId: string): Promise<void> {
  stage.story.scene('A reviewer sends one back', 'The lines of this invoice do not add up to its total.');
  await workOn(stage, 'ada', workId, believeInvoice);
  const { box, story } = stage;
  const { wait, artifactSha256 } = await box.as('ada').show(workId);
  await story.isRefused('ada', 'wants to review it herself', workId, () =>
    box.as('ada').review(workId, {
      interruptId: wait?.interruptId,
      artifactSha256,
      verdict: 'PASS',
      evidenceRef: 'file:none',
    }),
  );
  await judge(stage, 'rita', workId, 'REWORK', ['the lines add up to 1571.8, not 1751.8']);
  await workOn(stage, 'ada', workId, checkInvoice);
  await judge(stage, 'rita', workId, 'PASS');
}

/** Paying is the owner's to allow, whoever asks. */
export async function gate(stage: Stage, workId: string): Promise<void> {
  const { box, story } = stage;
  story.scene(
    'The owner gate',
    'A report that passed its review does not pay anything: that is for the owner.',
  );
  await judge(stage, 'rita', workId, 'PASS');
  const { wait, artifactSha256 } = await box.as('olga').show(workId);
  await story.isRefused('olga', 'approves the payment', workId, () =>
    box.as('olga').decide(workId, {
      interruptId: wait?.interruptId,
      artifactSha256,
      action: 'pay',
      decision: 'approve',
      reason: 'looks fine',
    }),
  );
}
