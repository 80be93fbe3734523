import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLinearizable, type Observed } from '../../proof/linearizable.js';
import type { Told } from '../support/desk-process.js';
import { startDeskProcess, type DeskProcess } from '../support/desk-processes.js';
import { deskBox, faults, ready, type DeskBox } from '../support/desk-box.js';

const PROCESSES = 3;
const CLIENTS = 6;
const WORKS = 16;
const CALLS = 6;
/** A work that is given back more often goes to its owner. */
const RELEASES = 10;

/** What a call saw of who holds the work. */
type Seen =
  | {
      readonly call: 'claim';
      readonly by: string;
      readonly outcome: 'got' | 'refused';
      readonly holder: string;
    }
  | { readonly call: 'release'; readonly by: string; readonly outcome: 'gave' | 'refused' }
  | { readonly call: 'look'; readonly holder: string | null };

/** One holder at a time: the whole of what claims and releases promise. */
function after(holder: string | null, seen: Seen): string | null | undefined {
  switch (seen.call) {
    case 'look':
      return seen.holder === holder ? holder : undefined;
    case 'claim':
      if (seen.outcome === 'got') return holder === null ? seen.by : undefined;
      return holder === seen.holder ? holder : undefined;
    case 'release':
      if (seen.outcome === 'gave') return holder === seen.by ? null : undefined;
      return holder === seen.by ? undefined : holder;
  }
}

const fits = (calls: readonly Observed<Seen>[]): boolean =>
  isLinearizable(calls, { holder: null as string | null }, ({ holder }, seen) => {
    const next = after(holder, seen);
    return next === undefined ? null : { holder: next };
  });

/** The same numbers in every run, so that the schedule of calls is; what meets what is up to the machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

let desk: DeskBox;
let processes: DeskProcess[];
const clients = Array.from({ length: CLIENTS }, (_, index) => `client-${index}`);

beforeAll(async () => {
  desk = await deskBox({ recover: false });
  for (const name of clients) await desk.owner.putPrincipal({ name, roles: ['worker'] });
  for (let work = 0; work < WORKS; work += 1) await ready(desk, `work-${work}`);
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => startDeskProcess(desk.dataDir)));
}, 120_000);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await desk.close();
});

interface Given {
  readonly work?: { readonly holder: string | null };
  readonly holder?: string | null;
  readonly claim?: { readonly interruptId: string };
}

/** Claims, gives back and looks at one work, as it comes, and writes down what it saw and when. */
async function live(name: string, index: number, workId: string, left: { releases: number }) {
  const random = randomFrom(index * 7_919 + Number(workId.slice(5)));
  const observed: Observed<Seen>[] = [];
  const seeing = async (ask: () => Promise<Told>, read: (told: Told) => Seen): Promise<Told> => {
    const invoked_ns = process.hrtime.bigint();
    const told = await ask();
    observed.push({ invoked_ns, responded_ns: process.hrtime.bigint(), seen: read(told) });
    return told;
  };
  const at = processes[index % PROCESSES] as DeskProcess;
  let held: string | null = null;
  for (let call = 0; call < CALLS; call += 1) {
    const choice = random();
    if (choice < 0.2) {
      await seeing(
        () => at.call(name, 'show', [workId]),
        (told) => ({ call: 'look', holder: given(told).holder ?? null }),
      );
    } else if (held !== null && left.releases > 0) {
      left.releases -= 1;
      await seeing(
        () => at.call(name, 'release', [workId, { interruptId: held, reason: 'next, please' }]),
        (told) => ({ call: 'release', by: name, outcome: 'value' in told ? 'gave' : 'refused' }),
      );
      held = null;
    } else if (held === null) {
      const told = await seeing(
        () => at.call(name, 'claim', [workId, {}]),
        (answer): Seen =>
          'code' in answer
            ? { call: 'claim', by: name, outcome: 'refused', holder: holderIn(answer) }
            : { call: 'claim', by: name, outcome: 'got', holder: name },
      );
      held = 'value' in told ? (given(told).claim?.interruptId ?? null) : null;
    }
  }
  return observed;
}

function given(told: Told): Given {
  if (!('value' in told)) throw new Error(JSON.stringify(told));
  return told.value as Given;
}

function holderIn(told: Extract<Told, { code: string }>): string {
  if (told.code !== 'ALREADY_CLAIMED') throw new Error(JSON.stringify(told));
  return told.details.holder ?? '';
}

describe('what several processes saw of claims and releases', () => {
  it('fits one order in which each work had one holder at a time', async () => {
    const histories = await Promise.all(
      Array.from({ length: WORKS }, async (_, work) => {
        const left = { releases: RELEASES };
        const lives = clients.map((name, index) => live(name, index, `work-${work}`, left));
        return (await Promise.all(lives)).flat();
      }),
    );
    expect(histories.filter((calls) => !fits(calls))).toEqual([]);
    const won = histories.flat().filter(({ seen }) => seen.call === 'claim' && seen.outcome === 'got');
    expect(won.length).toBeGreaterThan(WORKS);
  }, 120_000);

  it('has one accepted answer for every wait, and a ledger that proves itself', async () => {
    for (let work = 0; work < WORKS; work += 1) {
      const accepted = (await desk.owner.receipts(`work-${work}`)).filter(
        ({ outcome, action }) => outcome === 'accepted' && action !== 'register',
      );
      const waits = accepted.map(({ interruptId }) => interruptId);
      expect(new Set(waits).size).toBe(waits.length);
    }
    expect(await faults(desk)).toEqual([]);
  }, 60_000);

  it('would not fit, had two held one work, or had somebody seen a holder from before', () => {
    const calls = (...seen: Seen[]): Observed<Seen>[] =>
      seen.map((each, index) => ({
        invoked_ns: BigInt(index * 10),
        responded_ns: BigInt(index * 10 + 5),
        seen: each,
      }));
    const got = (by: string): Seen => ({ call: 'claim', by, outcome: 'got', holder: by });
    expect(fits(calls(got('a'), { call: 'look', holder: 'a' }))).toBe(true);
    expect(fits(calls(got('a'), got('b')))).toBe(false);
    expect(fits(calls(got('a'), { call: 'look', holder: null }))).toBe(false);
    const released: Seen = { call: 'release', by: 'a', outcome: 'gave' };
    expect(fits(calls(got('a'), released, { call: 'look', holder: 'a' }))).toBe(false);
  });
});
