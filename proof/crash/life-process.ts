import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { deliverDue } from '../../src/delivery/deliver.js';
import { openSignalbox } from '../../src/index.js';
import { recoverPending } from '../../src/operations/recover.js';
import type { Difference } from '../../src/operations/difference.js';
import { verifyLedger } from '../../src/operations/verify.js';
import type { WorkView } from '../../src/operations/views.js';
import { stepsSoFar } from './failpoint.js';
import type { Finished, JournalLine } from './journal.js';
import { LIFE, PEOPLE, WORK, whole, type LifeStep, type Sight } from './life.js';

/**
 * Lives a life on DATA_DIR, as far as it gets, and writes to the pipe 3 what it is about to send and what it was told.
 * With the journal of an earlier attempt in JOURNAL, what was sent then is sent again word for word.
 */
const { DATA_DIR = '', JOURNAL = '', ORIGIN_URL = '', OFFSET_MS = '0' } = process.env;
const earlier: JournalLine[] = existsSync(JOURNAL)
  ? readFileSync(JOURNAL, 'utf8')
      .split('\n')
      .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as JournalLine] : []))
  : [];

/** Synchronous: what is in the pipe when the process dies is read by its parent. */
function write(line: JournalLine | Finished): void {
  writeSync(3, `${JSON.stringify(line)}\n`);
}

const box = await openSignalbox({
  dataDir: DATA_DIR,
  deliver: false,
  recover: false,
  kinds: [whole],
  now_ms: () => Date.now() + Number(OFFSET_MS),
  cases: {
    origins: { ordering: { type: 'webhook', url: `${ORIGIN_URL}/decisions`, secretEnv: 'ORIGIN_SECRET' } },
  },
});
await recoverPending(box.desk);
for (const person of PEOPLE) await box.as('owner').putPrincipal(person);

const stored: Record<string, string> = {};
let caseId: string | null = null;

async function look(): Promise<Sight> {
  const owner = box.as('owner');
  const ofWork = await owner.show(WORK).catch(() => null);
  return { work: ofWork, case: caseId === null ? null : await owner.show(caseId), stored };
}

interface Told {
  readonly receipt?: { readonly receiptId: string };
  readonly work?: WorkView;
  readonly sha256?: string;
  readonly goAhead?: boolean;
}

async function live(step: LifeStep): Promise<void> {
  const sent = earlier.find((line) => line.step === step.name && line.asked !== undefined)?.asked;
  const told = earlier.find((line) => line.step === step.name && line.told !== undefined)?.told;
  const args = sent ?? step.args(await look());
  // What has no key and was acknowledged is not sent again: its wait is past. It must be there all the same.
  if (told && !step.keyed && step.verb !== 'putArtifact' && step.verb !== 'recordException') return;
  if (!sent) write({ step: step.name, asked: args });
  const door = box.as(step.who);
  const call = door[step.verb] as (...given: readonly unknown[]) => Promise<Told>;
  const answer = await call(...args, ...(step.keyed ? [{ idempotencyKey: `key of ${step.name}` }] : []));
  const summary = {
    receiptId: answer.receipt?.receiptId ?? null,
    sha256: answer.sha256 ?? null,
    goAhead: answer.goAhead ?? null,
    workId: answer.work?.workId ?? null,
  };
  if (told && (told.receiptId !== summary.receiptId || told.sha256 !== summary.sha256))
    throw new Error(`${step.name} was told ${JSON.stringify(told)}, and now ${JSON.stringify(summary)}`);
  if (!told) write({ step: step.name, told: summary });
  if (step.verb === 'putArtifact') stored[String(args[0])] = summary.sha256 ?? '';
  if (step.verb === 'recordException') caseId = summary.workId;
}

for (const step of LIFE) await live(step);
await deliverDue(box.desk);
const owner = box.as('owner');
const differences: Difference[] = [];
for await (const each of verifyLedger(box.desk)) if (each.severity === 'fault') differences.push(each);
const receipts = [...(await owner.receipts(WORK)), ...(await owner.receipts(caseId ?? ''))];
write({
  finished: {
    status: (await owner.show(WORK)).status,
    caseStatus: (await owner.show(caseId ?? '')).status,
    receipts: receipts
      .map((each) => `${each.action} ${each.outcome}${each.applied ? '' : ' not applied'}`)
      .toSorted(),
    effects: (await owner.history(WORK)).filter(({ type }) => type === 'effect.intended').length,
    faults: differences.map((each) => each.detail),
    hasOwnerToken: existsSync(join(DATA_DIR, 'owner.token')),
    steps: stepsSoFar(),
  },
});
await box.close();
