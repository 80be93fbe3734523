import { afterAll, beforeAll, expect, it } from 'vitest';
import { findWork } from '../../src/ledger/reads.js';
import { mountLangGraph } from '../../src/surfaces/langgraph/mount.js';
import { mountMcp } from '../../src/surfaces/mcp/mount.js';
import { serving, type Serving } from '../http/serving.js';
import { PEOPLE } from '../support/desk-box.js';
import { doorsOf, type Door } from './doors.js';
import { REFUSED_CALLS } from './refused-calls.js';

let here: Serving;
let doors: readonly Door[];
let now_ms = Date.now();
const later = (ms: number): void => {
  now_ms += ms;
};

beforeAll(async () => {
  here = await serving({ now_ms: () => now_ms, recover: false }, { mounts: [mountMcp, mountLangGraph] });
  const owner = here.box.as('owner');
  // A name's roles and actor stand before its token is made.
  for (const person of PEOPLE) {
    await here.tokenOf(person.name, person.roles);
    await owner.putPrincipal(person);
  }
  doors = doorsOf(here);
});
afterAll(async () => {
  for (const door of doors) await door.close?.();
  await here.close();
});

/** All of a work but what a refusal may touch: its history. */
async function standing(workId: string): Promise<unknown> {
  const row = await here.box.desk.store.read(() => findWork('default', workId));
  if (!row) return null;
  const { history_seq, history_hash, updated_at, ...rest } = row;
  void [history_seq, history_hash, updated_at];
  return rest;
}

it('the table is long enough to be worth its name', () => {
  expect(REFUSED_CALLS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(REFUSED_CALLS.map(({ code }) => code)).size).toBeGreaterThanOrEqual(15);
});

it.each(REFUSED_CALLS.map((each, index) => ({ ...each, index })))(
  '$code through every door, and nothing moves: $because',
  { timeout: 60_000 },
  async ({ code, index, set }) => {
    const workId = `refused-${index}`;
    const call = { ...(await set({ here, later }, workId)), workId };
    const before = await standing(workId);
    const told: Record<string, string> = {};
    const asked = doors.filter((door) => !door.lacks.includes(call.verb));
    for (const door of asked) {
      told[door.name] = await door.code(call);
      expect(await standing(workId)).toEqual(before);
    }
    expect(told).toEqual(Object.fromEntries(asked.map((door) => [door.name, code])));
  },
);

it('none of it was an error of the server', () => {
  expect(here.errors).toEqual([]);
});
