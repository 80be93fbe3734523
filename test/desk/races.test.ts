import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Told } from '../support/desk-process.js';
import { startDeskProcess, type DeskProcess } from '../support/desk-processes.js';
import {
  deskBox,
  faults,
  inProgress,
  inReview,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';
import type { WorkView } from '../../src/operations/views.js';

const CLAIMS = 500;
const ANSWERS = 200;
/** Long enough for both messages to arrive, in ms. */
const HEAD_START_ms = 2;

let desk: DeskBox;
let two: [DeskProcess, DeskProcess];

beforeAll(async () => {
  desk = await deskBox({ recover: false });
  two = await Promise.all([startDeskProcess(desk.dataDir), startDeskProcess(desk.dataDir)]);
}, 120_000);

afterAll(async () => {
  await Promise.all(two.map((each) => each.close()));
  await desk.close();
});

type Call = Parameters<DeskProcess['call']>;

/** Both at the same moment. */
function atOnce(
  [first, firstVerb, firstArgs]: Call,
  [second, secondVerb, secondArgs]: Call,
): Promise<[Told, Told]> {
  const at = Date.now() + HEAD_START_ms;
  return Promise.all([
    two[0].call(first, firstVerb, firstArgs, at),
    two[1].call(second, secondVerb, secondArgs, at),
  ]);
}

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Who won and how the other was told, for one race. */
function outcomeOf(told: [Told, Told]) {
  const winners = [0, 1].filter((index) => 'value' in (told[index] ?? {}));
  const loser = told.find((each) => !('value' in each));
  return { winners, loser };
}

describe('two processes at the same moment', () => {
  it(`claim one work, ${CLAIMS} times over: one gets it, the other is told who holds it`, async () => {
    const ids = numbered(CLAIMS, 'claimed');
    await Promise.all(ids.map((workId) => desk.owner.register({ workId, input: {} })));
    const works = await Promise.all(ids.map((workId) => desk.owner.promote(workId, { reason: 'go' })));
    const won = [0, 0];
    for (const [index, { work }] of works.entries()) {
      // Half of them name the wait they saw, as a worker does; half just want the work.
      const body = index % 2 === 0 ? { interruptId: waitOf(work) } : {};
      const told = await atOnce(['ann', 'claim', [work.workId, body]], ['bob', 'claim', [work.workId, body]]);
      const { winners, loser } = outcomeOf(told);
      const winner = winners[0] === 0 ? 'ann' : 'bob';
      expect({ told, winners: winners.length }).toMatchObject({ winners: 1 });
      expect(loser).toMatchObject({ code: 'ALREADY_CLAIMED', details: { holder: winner } });
      expect((await desk.owner.show(work.workId)).holder).toBe(winner);
      won[winners[0] ?? 0] = (won[winners[0] ?? 0] ?? 0) + 1;
    }
    // Were one always first, the race would not be one.
    expect(Math.min(...won)).toBeGreaterThan(0);
  }, 240_000);

  it(`hand in two results for one wait, ${ANSWERS} times over: one is accepted, the other kept as reference`, async () => {
    const hashes = [await stored(desk, '{"result":1}'), await stored(desk, '{"result":2}')];
    const works = await Promise.all(numbered(ANSWERS, 'result').map((workId) => inProgress(desk, workId)));
    for (const work of works) {
      const body = (sha256: string | undefined) => ({
        interruptId: waitOf(work),
        inputVersion: 1,
        artifact: { sha256 },
      });
      const told = await atOnce(
        ['ann', 'submit', [work.workId, body(hashes[0])]],
        ['ann', 'submit', [work.workId, body(hashes[1])]],
      );
      const { winners, loser } = outcomeOf(told);
      expect({ told, winners: winners.length }).toMatchObject({ winners: 1 });
      expect(loser).toMatchObject({ code: 'ALREADY_DECIDED' });
      expect((await desk.owner.show(work.workId)).artifactSha256).toBe(hashes[winners[0] ?? 0]);
      const results = (await desk.owner.receipts(work.workId)).filter((each) => each.action === 'result');
      expect(results.map((each) => each.outcome).toSorted()).toEqual(['accepted', 'reference']);
    }
  }, 240_000);

  it(`say PASS and REWORK on one wait, ${ANSWERS} times over: one counts, and the work goes its way`, async () => {
    const works: WorkView[] = await Promise.all(
      numbered(ANSWERS, 'judged').map((workId) => inReview(desk, workId)),
    );
    for (const work of works) {
      const told = await atOnce(
        ['rita', 'review', [work.workId, verdictOn(work, 'PASS')]],
        ['rob', 'review', [work.workId, verdictOn(work, 'REWORK')]],
      );
      const { winners, loser } = outcomeOf(told);
      expect({ told, winners: winners.length }).toMatchObject({ winners: 1 });
      expect(loser).toMatchObject({ code: 'ALREADY_DECIDED' });
      const { status, round } = await desk.owner.show(work.workId);
      expect({ status, round }).toEqual(
        winners[0] === 0 ? { status: 'MERGE_READY', round: 1 } : { status: 'REWORK', round: 2 },
      );
    }
  }, 240_000);

  it('leave a ledger that proves itself', async () => {
    expect(await faults(desk)).toEqual([]);
  }, 120_000);
});
