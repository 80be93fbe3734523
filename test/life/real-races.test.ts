import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkView } from '../../src/operations/views.js';
import { deskBox, faults, handIn, stored, verdictOn, waitOf, type DeskBox } from '../support/desk-box.js';
import type { Told } from '../support/desk-process.js';
import { startDeskProcess, type DeskProcess } from '../support/desk-processes.js';

/** A kind with a lease that can be waited for, and one whose completion an owner must allow. */
const KINDS = [
  { name: 'swift', lease: { lease_ms: 300, leaseLimit_ms: 60_000 }, skips: ['OBSERVING', 'ASSET_GATE'] },
  { name: 'gated', completion: 'pay', ownerOnly: ['pay'], skips: ['OBSERVING', 'ASSET_GATE'] },
  { name: 'plain', skips: ['OBSERVING', 'ASSET_GATE'] },
];
const ROUNDS = 14;
/** Long enough for both messages to arrive, in ms. */
const HEAD_START_ms = 3;

let folder: string;
let desk: DeskBox;
let two: [DeskProcess, DeskProcess];
const before = process.env['SIGNALBOX_CONFIG'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-races-'));
  process.env['SIGNALBOX_CONFIG'] = join(folder, 'signalbox.config.json');
  await writeFile(process.env['SIGNALBOX_CONFIG'], JSON.stringify({ kinds: KINDS }));
  desk = await deskBox({ recover: false });
  await desk.owner.putPrincipal({ name: 'olga', roles: ['owner'] });
  two = await Promise.all([startDeskProcess(desk.dataDir), startDeskProcess(desk.dataDir)]);
}, 120_000);

afterAll(async () => {
  if (before === undefined) delete process.env['SIGNALBOX_CONFIG'];
  else process.env['SIGNALBOX_CONFIG'] = before;
  await Promise.all(two.map((each) => each.close()));
  await desk.close();
  await rm(folder, { recursive: true, force: true });
});

/** What whoever came second may be told. */
const PASSED = ['ALREADY_DECIDED', 'STALE_INTERRUPT', 'ACTION_NOT_ALLOWED', 'LEASE_EXPIRED', 'NOT_HOLDER'];

type Call = Parameters<DeskProcess['call']>;

function atOnce(first: Call, second: Call, at_ms = Date.now() + HEAD_START_ms): Promise<[Told, Told]> {
  return Promise.all([
    two[0].call(first[0], first[1], first[2], at_ms),
    two[1].call(second[0], second[1], second[2], at_ms),
  ]);
}

const codeOf = (told: Told): string =>
  'value' in told ? 'accepted' : 'code' in told ? told.code : told.fault;

async function claimed(kind: string, workId: string, holder = 'ann'): Promise<WorkView> {
  await desk.owner.register({ kind, workId, input: { v: 1 } });
  await desk.owner.promote(workId, { reason: 'go' });
  return (await desk.as(holder).claim(workId, {})).work;
}

const resultFor = (work: WorkView, sha256: string) => ({
  interruptId: waitOf(work),
  inputVersion: work.inputVersion,
  artifact: { sha256 },
});

const correctionOf = (kind: string, workId: string) => ({
  kind,
  workId,
  input: { v: 2 },
  correction: { reason: 'the amount was wrong' },
});

/** The outcomes of results of a work, in their order. */
const resultsOf = async (workId: string) =>
  (await desk.owner.receipts(workId)).filter(({ action }) => action === 'result');

describe('at the same moment, in two processes', () => {
  it('a result and the investigation of its expiry: one counts, and the result is never lost', async () => {
    const sha256 = await stored(desk, '{"swift":1}');
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = await claimed('swift', `swift-${round}`);
      const expiresAt = Date.parse(work.lease?.expiresAt ?? '');
      // From just before the end of the lease to just after it.
      const at_ms = expiresAt + (round % 7) - 4;
      const told = await atOnce(
        ['ann', 'submit', [work.workId, resultFor(work, sha256)]],
        [
          'otto',
          'investigate',
          [work.workId, { interruptId: waitOf(work), finding: 'nothing_found', evidenceRef: 'log:1' }],
        ],
        at_ms,
      );
      const [submitted = '', investigated = ''] = told.map(codeOf);
      const { status } = await desk.owner.show(work.workId);
      const [result] = await resultsOf(work.workId);
      const inTime = submitted === 'accepted';
      const turnedAway = inTime ? investigated : submitted;
      expect(PASSED).toContain(turnedAway);
      expect({ status, outcome: result?.outcome, artifact: result?.artifactSha256 }).toEqual({
        status: inTime ? 'VP_REVIEW' : investigated === 'accepted' ? 'READY' : 'IN_PROGRESS',
        outcome: inTime ? 'accepted' : 'reference',
        artifact: sha256,
      });
      seen.add(submitted);
    }
    // Both sides of the moment were met.
    expect(seen.size).toBeGreaterThan(1);
  }, 240_000);

  it('a handoff and the result of the holder it leaves: the result counts or is kept as reference', async () => {
    const sha256 = await stored(desk, '{"old":1}');
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = await claimed('plain', `handed-${round}`);
      const told = await atOnce(
        ['ann', 'submit', [work.workId, resultFor(work, sha256)]],
        ['otto', 'handoff', [work.workId, { interruptId: waitOf(work), reason: 'ill', to: 'bob' }]],
      );
      const [submitted = '', handed = ''] = told.map(codeOf);
      const inTime = submitted === 'accepted';
      expect([submitted, handed].filter((code) => code === 'accepted')).toHaveLength(1);
      expect(PASSED).toContain(inTime ? handed : submitted);
      const { status, holder, reassignments } = await desk.owner.show(work.workId);
      const [result] = await resultsOf(work.workId);
      expect({
        status,
        holder,
        reassignments,
        outcome: result?.outcome,
        artifact: result?.artifactSha256,
      }).toEqual({
        ...(inTime
          ? { status: 'VP_REVIEW', holder: null, reassignments: 0, outcome: 'accepted' }
          : { status: 'IN_PROGRESS', holder: 'bob', reassignments: 1, outcome: 'reference' }),
        artifact: sha256,
      });
    }
  }, 240_000);

  it('a correction and the result of the version it replaces: the result never stands for the new version', async () => {
    const sha256 = await stored(desk, '{"v":1}');
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = await claimed('plain', `corrected-${round}`);
      const told = await atOnce(
        ['ann', 'submit', [work.workId, resultFor(work, sha256)]],
        ['owner', 'register', [correctionOf('plain', work.workId)]],
      );
      expect(codeOf(told[1])).toBe('accepted');
      const now = await desk.owner.show(work.workId);
      expect(now).toMatchObject({ inputVersion: 2, artifactSha256: null });
      expect(['IN_PROGRESS', 'REWORK']).toContain(now.status);
    }
  }, 240_000);

  it('a correction and a PASS: what was passed for the old version goes no further', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = await handIn(desk, await claimed('plain', `reviewed-${round}`), `{"round":${round}}`);
      const told = await atOnce(
        ['rita', 'review', [work.workId, verdictOn(work, 'PASS')]],
        ['owner', 'register', [correctionOf('plain', work.workId)]],
      );
      expect(codeOf(told[1])).toBe('accepted');
      expect(['accepted', 'ALREADY_DECIDED', 'STALE_INTERRUPT', 'INPUT_CHANGED']).toContain(codeOf(told[0]));
      expect(await desk.owner.show(work.workId)).toMatchObject({
        status: 'REWORK',
        inputVersion: 2,
        artifactSha256: null,
      });
    }
  }, 240_000);

  it('a correction and an approval: the approval of the old version opens nothing', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const handed = await handIn(desk, await claimed('gated', `gated-${round}`), `{"round":${round}}`);
      const gate = (await desk.as('rita').review(handed.workId, verdictOn(handed, 'PASS'))).work;
      expect(gate.status).toBe('OWNER_GATE');
      const approval = {
        interruptId: waitOf(gate),
        artifactSha256: gate.artifactSha256,
        action: 'pay',
        decision: 'approve',
        reason: 'fine',
      };
      const told = await atOnce(
        ['olga', 'decide', [gate.workId, approval]],
        ['owner', 'register', [correctionOf('gated', gate.workId)]],
      );
      expect(codeOf(told[1])).toBe('accepted');
      expect(['accepted', 'ALREADY_DECIDED', 'STALE_INTERRUPT', 'INPUT_CHANGED']).toContain(codeOf(told[0]));
      const now = await desk.owner.show(gate.workId);
      expect(now).toMatchObject({ status: 'REWORK', inputVersion: 2, artifactSha256: null, gate: null });
      // What it would have allowed is refused: there is no approval left for anything.
      const announced = desk.as('ann').intendEffect(gate.workId, {
        interruptId: waitOf(now),
        operationId: `pay-${round}`,
        action: 'pay',
        target: 'bank',
      });
      await expect(announced).rejects.toMatchObject({ code: 'ACTION_NOT_ALLOWED' });
    }
  }, 240_000);

  it('leave a ledger that proves itself', async () => {
    expect(await faults(desk)).toEqual([]);
  }, 120_000);
});

describe('a service that is killed with reservations open', () => {
  it('recognises the holder and its wait after the restart', async () => {
    const [killed, after] = await Promise.all([
      startDeskProcess(desk.dataDir),
      startDeskProcess(desk.dataDir),
    ]);
    await desk.owner.register({ kind: 'plain', workId: 'kept', input: {} });
    await desk.owner.promote('kept', { reason: 'go' });
    const told = await killed.call('ann', 'claim', ['kept', {}]);
    await killed.kill();
    const held = (told as { value: { work: WorkView } }).value.work;
    expect(codeOf(await after.call('bob', 'claim', ['kept', {}]))).toBe('ALREADY_CLAIMED');
    const sha256 = await stored(desk, '{"kept":1}');
    const handed = await after.call('ann', 'submit', ['kept', resultFor(held, sha256)]);
    expect(handed).toMatchObject({ value: { work: { status: 'VP_REVIEW', author: 'ann' } } });
    await after.close();
  }, 120_000);
});
