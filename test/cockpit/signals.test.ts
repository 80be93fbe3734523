import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../http/serving.js';
import { seedPeople, started, submitted, type Seeds } from './seeding.js';
import { servingCockpit, signedInVisitor, type Visitor } from './visiting.js';

const HOUR_ms = 3_600_000;
const CLEAR = 'All signals clear';
let now_ms = Date.now();
let here: Serving;
let seeds: Seeds;
let owner: Visitor;
beforeAll(async () => {
  here = await servingCockpit({ now_ms: () => now_ms, recover: false });
  seeds = await seedPeople(here.box);
  owner = await signedInVisitor(here, here.ownerToken);
});
afterAll(() => here.close());

const board = async (): Promise<string> => (await owner.get('/')).text;

describe('the board', () => {
  it('is clear while work runs, and says of a holder whose lease ran out that it has gone silent', async () => {
    await started(seeds, { workId: 'quiet' });
    expect(await board()).toContain(CLEAR);
    expect((await owner.get('/works/quiet')).text).not.toContain('gone silent');
    now_ms += 2 * HOUR_ms;
    const page = await board();
    expect(page).not.toContain(CLEAR);
    expect(page).toContain('Silent or unknown: 1');
    expect(page).toMatch(/id="station-IN_PROGRESS"[^]*?lamp-red[^]*?1 silent/);
    for (const path of ['/', '/basket', '/basket?view=in_progress', '/works/quiet'])
      expect([path, (await owner.get(path)).text.includes('gone silent')]).toEqual([path, true]);
  });

  it('is not clear while anything stands still until a person does something, and leads to it', async () => {
    await submitted(seeds, { workId: 'judged' });
    await seeds.owner.register({ workId: 'found', input: {} });
    await seeds.owner.register({ workId: 'parked', input: {} });
    await seeds.owner.promote('parked', { reason: 'real' });
    const { wait } = await seeds.owner.show('parked');
    await seeds.owner.hold('parked', { interruptId: wait?.interruptId, reason: 'not yet' });
    const page = await board();
    expect(page).toContain('<a href="/reviews">To be reviewed: 1</a>');
    expect(page).toContain('To be triaged: 1');
    expect(page).toContain('Blocked or on hold: 1');
    expect(page).toMatch(/id="waiting"[^]*?\/works\/judged/);
    expect(page).not.toContain(CLEAR);
  });
});
