import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doorFor } from '../../src/operations/door.js';
import { exportArchive } from '../../src/operations/export-archive.js';
import { importArchive } from '../../src/operations/import-archive.js';
import type { ArchiveLine } from '../../src/operations/archive-format.js';
import { recoverPending } from '../../src/operations/recover.js';
import {
  completionOf,
  deskBox,
  faults,
  handIn,
  inProgress,
  inReview,
  ready,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';
import { testDatabase } from '../support/postgres.js';
import { signalbox } from '../cli/command.js';

let from: DeskBox;
let to: DeskBox;
let lines: ArchiveLine[];
beforeAll(async () => {
  from = await deskBox({ recover: false, cases: CASES }, 'sqlite');
  to = await deskBox({ recover: false, cases: CASES }, 'postgres');
  await ready(from, 'queued');
  await inProgress(from, 'held');
  await inReview(from, 'reviewed');
  await from.owner.register({ workId: 'found', input: { of: 'found' } });
  const ended = await inReview(from, 'ended');
  const passed = (await from.as('rita').review('ended', verdictOn(ended, 'PASS'))).work;
  await from.owner.complete('ended', completionOf(passed));
  await from.as('rita').review('gated', verdictOn(await inReview(from, 'gated'), 'ESCALATE'));
  const aside = await ready(from, 'blocked');
  await from.owner.block('blocked', { interruptId: waitOf(aside), reason: 'a paper is missing' });
  const unsure = (await from.as('rita').review('unsure', verdictOn(await inReview(from, 'unsure'), 'PASS')))
    .work;
  await from.owner.complete('unsure', { ...completionOf(unsure), outcome: 'unknown' });
  // Decided, and its origin not told: nothing is delivered here.
  CASE = (await from.owner.recordException(EXCEPTION)).work.workId;
  IDS.push(CASE);
  const taken = (await from.as('ann').claim(CASE, {})).work;
  const decision = { inputVersion: 1, decision: 'order', reason: 'the quote is signed' };
  await from.as('ann').decideCase(CASE, { ...decision, interruptId: waitOf(taken) });
  // Accepted and not yet applied.
  const stuck = { ...from.box.desk, appliers: { apply: () => new Promise<never>(() => undefined) } };
  await inReview(from, 'decided');
  const decided = await from.owner.show('decided');
  await doorFor(stuck, { tenant: 'default', principal: 'rita' }).review(
    'decided',
    verdictOn(decided, 'PASS'),
    { wait_ms: 0 },
  );
  lines = [];
  for await (const line of exportArchive(from.box.desk)) lines.push(line);
}, 120_000);
afterAll(async () => {
  await from.close();
  await to.close();
});

const IDS = ['queued', 'held', 'reviewed', 'found', 'ended', 'decided', 'gated', 'blocked', 'unsure'];
/** An origin that nobody answers for. */
const CASES = {
  origins: { ordering: { type: 'webhook' as const, url: 'http://127.0.0.1:9/told', secretEnv: 'NO_SECRET' } },
  webhooks: { privateNetworks: true },
};
let CASE = '';
const EXCEPTION = {
  exceptionId: 'price-17',
  origin: { system: 'ordering', runId: 'run-1' },
  classification: 'price-mismatch',
  impact: 'high',
  occurredAt: '2026-11-30T10:00:00Z',
  evidence: [{ label: 'quote', body: { price: 17 } }],
};

describe('a tenant moved from SQLite to PostgreSQL', () => {
  it('keeps every work, interrupt ID, receipt and event as it was', async () => {
    const text = lines.map((line) => JSON.stringify(line));
    const brought = await importArchive(
      to.box.desk,
      text.map((line) => JSON.parse(line) as ArchiveLine),
    );
    expect(brought).toEqual({
      tenants: ['default'],
      works: IDS.length,
      artifacts: lines.filter((line) => 'artifact' in line).length,
    });
    expect(brought.artifacts).toBe(6);
    for (const id of IDS) {
      expect(await to.owner.show(id)).toEqual(await from.owner.show(id));
      expect(await to.owner.receipts(id)).toEqual(await from.owner.receipts(id));
      const withoutPosition = async (desk: DeskBox) =>
        (await desk.owner.history(id)).map((event) => ({ ...event, position: 0 }));
      expect(await withoutPosition(to)).toEqual(await withoutPosition(from));
    }
    expect(await faults(to)).toEqual([]);
  });

  it('finishes there what was half done here', async () => {
    await recoverPending(to.box.desk);
    expect(await to.owner.show('decided')).toMatchObject({ status: 'MERGE_READY', notApplied: null });
    const held = await handIn(to, await to.owner.show('held'), '{"of":"held"}');
    const passed = (await to.as('rita').review('held', verdictOn(held, 'PASS'))).work;
    expect((await to.owner.complete('held', completionOf(passed))).work.status).toBe('DONE');
    const judged = await to
      .as('rita')
      .review('reviewed', verdictOn(await to.owner.show('reviewed'), 'REWORK'));
    expect(judged.work).toMatchObject({ status: 'REWORK', round: 2 });
    expect((await to.as('bob').claim('queued', {})).work.status).toBe('IN_PROGRESS');
    expect(await faults(to)).toEqual([]);
  });

  it('ends there what waited for its owner, for a paper, for evidence, with the interrupt IDs that were told here', async () => {
    const gate = await from.owner.show('gated');
    const about = { interruptId: waitOf(gate), artifactSha256: gate.artifactSha256, reason: 'as asked' };
    const approved = await to.owner.decide('gated', {
      ...about,
      action: gate.gate?.action,
      decision: 'approve',
    });
    expect(approved.work.status).toBe('VP_REVIEW');
    const paper = { interruptId: waitOf(await from.owner.show('blocked')), reason: 'it came' };
    expect((await to.owner.unblock('blocked', paper)).work.status).toBe('READY');
    const proof = { interruptId: waitOf(await from.owner.show('unsure')), evidenceRef: 'log:3' };
    const known = await to.owner.reconcile('unsure', { ...proof, finding: 'happened', externalId: 'ext-9' });
    expect(known.work.status).toBe('DONE');
    const [here, there] = [await from.owner.showCase(CASE, {}), await to.owner.showCase(CASE, {})];
    expect(there).toEqual(here);
    expect(there.deliveries.map(({ state }) => state)).toEqual(['pending']);
    expect(await faults(to)).toEqual([]);
  });

  it('is brought by the command line, however long the database takes to open', async () => {
    const database = await testDatabase();
    const file = join(to.dataDir, 'desk.jsonl');
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const env = { SIGNALBOX_DATABASE_URL: database.url, SIGNALBOX_DATA: join(to.dataDir, 'other') };
    const brought = await signalbox(['import-archive', file, '--json'], { env });
    expect(brought).toMatchObject({ code: 0, json: { works: IDS.length, artifacts: 6 } });
    await database.drop();
  }, 120_000);

  it('is refused where works are already, and when the archive was cut off', async () => {
    await expect(importArchive(to.box.desk, lines)).rejects.toThrow(/without works/);
    const empty = await deskBox({ recover: false }, 'sqlite');
    await expect(importArchive(empty.box.desk, lines.slice(0, -1))).rejects.toThrow(/cut off/);
    await empty.close();
  });
});
