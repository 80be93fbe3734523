import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverPending } from '../../src/operations/recover.js';
import type { Told } from '../support/desk-process.js';
import { startDeskProcess, type DeskProcess } from '../support/desk-processes.js';
import {
  completionOf,
  deskBox,
  faults,
  inProgress,
  inReview,
  ready,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';
import type { WorkView } from '../../src/operations/views.js';

let desk: DeskBox;
beforeEach(async () => {
  desk = await deskBox({ recover: false });
});
afterEach(() => desk.close());

interface Acknowledged {
  readonly receipt?: { readonly receiptId: string; readonly applied: boolean };
  readonly work?: WorkView;
  readonly sha256?: string;
}

function acknowledged(told: Told): Acknowledged {
  if (!('value' in told)) throw new Error(JSON.stringify(told));
  return told.value as Acknowledged;
}

describe('a process killed between accepting and applying', () => {
  it('has decided: whoever starts next applies each answer once, and asks nobody again', async () => {
    const sha256 = await stored(desk, '{"killed":1}');
    await desk.owner.register({ workId: 'promoted', input: {} });
    const claimed = await ready(desk, 'claimed');
    const submitted = await inProgress(desk, 'submitted');
    const passed = await inReview(desk, 'passed');
    const reworked = await inReview(desk, 'reworked');
    const escalated = await inReview(desk, 'escalated');
    const completed = (
      await desk.as('rita').review('completed', verdictOn(await inReview(desk, 'completed'), 'PASS'))
    ).work;
    await desk.box.close();

    const child = await startDeskProcess(desk.dataDir, { apply: false });
    const now = { wait_ms: 0 };
    const result = { interruptId: waitOf(submitted), inputVersion: 1, artifact: { sha256 } };
    const answers: [string, Told][] = [
      ['promoted', await child.call('owner', 'promote', ['promoted', { reason: 'go' }, now])],
      ['claimed', await child.call('ann', 'claim', ['claimed', { interruptId: waitOf(claimed) }, now])],
      ['submitted', await child.call('ann', 'submit', ['submitted', result, now])],
      ['passed', await child.call('rita', 'review', ['passed', verdictOn(passed, 'PASS'), now])],
      ['reworked', await child.call('rita', 'review', ['reworked', verdictOn(reworked, 'REWORK'), now])],
      ['escalated', await child.call('rita', 'review', ['escalated', verdictOn(escalated, 'ESCALATE'), now])],
      ['completed', await child.call('owner', 'complete', ['completed', completionOf(completed), now])],
    ];
    await child.call('owner', 'register', [{ workId: 'registered', input: {} }, now]);
    for (const [, told] of answers) expect(acknowledged(told).receipt?.applied).toBe(false);
    const again = await child.call('rob', 'review', ['passed', verdictOn(passed, 'REWORK'), now]);
    expect(again).toMatchObject({ code: 'ALREADY_DECIDED' });
    await child.kill();

    await desk.reopen();
    expect(await desk.owner.show('submitted')).toMatchObject({
      status: 'IN_PROGRESS',
      notApplied: { attempts: 0 },
    });
    expect(await faults(desk)).toEqual([]);
    // Two at once, as two restarted processes would: each answer is applied by one of them.
    await Promise.all([recoverPending(desk.box.desk), recoverPending(desk.box.desk)]);
    const after = {
      promoted: 'READY',
      claimed: 'IN_PROGRESS',
      submitted: 'VP_REVIEW',
      passed: 'MERGE_READY',
      reworked: 'REWORK',
      escalated: 'OWNER_GATE',
      completed: 'DONE',
      registered: 'DISCOVERED',
    };
    for (const [workId, status] of Object.entries(after))
      expect(await desk.owner.show(workId)).toMatchObject({ workId, status, notApplied: null });
    for (const [workId, told] of answers) {
      const receiptId = acknowledged(told).receipt?.receiptId;
      const moves = (await desk.owner.history(workId)).filter(
        (event) => event.type === 'work.moved' && event.data['receiptId'] === receiptId,
      );
      expect(moves).toHaveLength(1);
    }
    expect(await recoverPending(desk.box.desk)).toBe(0);
    expect(await faults(desk)).toEqual([]);
  }, 120_000);

  it('is noticed by a working desk too, without a restart', async () => {
    await ready(desk, 'left');
    await desk.reopen({ recover: true });
    const child = await startDeskProcess(desk.dataDir, { apply: false });
    acknowledged(await child.call('ann', 'claim', ['left', {}, { wait_ms: 0 }]));
    await child.kill();
    await expect
      .poll(async () => (await desk.owner.show('left')).status, { timeout: 30_000, interval: 100 })
      .toBe('IN_PROGRESS');
  }, 90_000);
});

const KILLS = 16;
const LANES = 4;

/** After how many acknowledgements, and how many ms more: the same in every run, so that a slow machine is killed at work too. */
const momentOf = (kill: number): { acknowledgements: number; more_ms: number } => ({
  acknowledgements: (kill * 7) % 29,
  more_ms: (kill * 5) % 13,
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(1);
}

describe(`a process killed ${KILLS} times at any moment while works go from registration to DONE`, () => {
  it('loses nothing that it acknowledged, and applies nothing twice', async () => {
    await desk.box.close();
    const receipts: string[] = [];
    const works = new Map<string, number>();
    const artifacts: string[] = [];
    const note = (told: Told): WorkView => {
      const { receipt, work, sha256 } = acknowledged(told);
      if (receipt) receipts.push(receipt.receiptId);
      if (work) works.set(work.workId, Math.max(work.round, works.get(work.workId) ?? 0));
      if (sha256) artifacts.push(sha256);
      return work as WorkView;
    };

    async function live(child: DeskProcess, workId: string): Promise<void> {
      const tell = async (...call: Parameters<DeskProcess['call']>) => note(await child.call(...call));
      await tell('owner', 'register', [{ workId, input: { of: workId } }]);
      await tell('owner', 'promote', [workId, { reason: 'go' }]);
      for (const verdict of ['REWORK', 'PASS'] as const) {
        const work = await tell('ann', 'claim', [workId, {}]);
        const content = JSON.stringify({ workId, verdict });
        const sha256 = acknowledged(
          await child.call('ann', 'putArtifact', [content, 'application/json']),
        ).sha256;
        artifacts.push(sha256 ?? '');
        const result = { interruptId: waitOf(work), inputVersion: 1, artifact: { sha256 } };
        const reviewed = await tell('ann', 'submit', [workId, result]);
        const judged = await tell('rita', 'review', [workId, verdictOn(reviewed, verdict)]);
        if (verdict === 'PASS') await tell('owner', 'complete', [workId, completionOf(judged)]);
      }
    }

    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = await startDeskProcess(desk.dataDir, { recover: kill % 2 === 0 });
      const lanes = Array.from({ length: LANES }, async (_, lane) => {
        for (let count = 0; ; count += 1) await live(child, `work-${kill}-${lane}-${count}`);
      });
      const ended = Promise.allSettled(lanes);
      const { acknowledgements, more_ms } = momentOf(kill);
      const before = receipts.length;
      await Promise.race([until(() => receipts.length - before >= acknowledgements), ended]);
      await pause(more_ms);
      await child.kill();
      const reasons = (await ended).map((lane) => (lane.status === 'rejected' ? String(lane.reason) : ''));
      expect([...new Set(reasons)]).toEqual(['Error: the process is gone']);
    }

    await desk.reopen();
    await recoverPending(desk.box.desk);
    expect(await faults(desk)).toEqual([]);
    expect(receipts.length).toBeGreaterThan(KILLS * 5);
    for (const [workId, round] of works) {
      const work = await desk.owner.show(workId);
      expect(work.round).toBeGreaterThanOrEqual(round);
      expect(work.notApplied).toBeNull();
    }
    const kept = new Map(
      (await Promise.all([...works.keys()].map((workId) => desk.owner.receipts(workId))))
        .flat()
        .map((receipt) => [receipt.receiptId, receipt]),
    );
    for (const receiptId of receipts)
      expect(kept.get(receiptId)).toMatchObject({ outcome: 'accepted', applied: true });
    for (const sha256 of artifacts) expect((await desk.owner.getArtifact(sha256)).sha256).toBe(sha256);
  }, 240_000);
});
