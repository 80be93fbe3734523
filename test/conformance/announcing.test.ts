import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionOf, deskBox, inReview, verdictOn, waitOf, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
}, 120_000);
afterAll(() => desk.close());

describe('a work that is ready to be completed', () => {
  it('is not held up by an effect that a stranger to its result announces', async () => {
    const passed = (await desk.as('rita').review('w', verdictOn(await inReview(desk, 'w'), 'PASS'))).work;
    const announce = (who: string, operationId: string, action: string) =>
      desk.as(who).intendEffect('w', { interruptId: waitOf(passed), operationId, action, target: 'outside' });
    const settle = (who: string, operationId: string) =>
      desk.as(who).settleEffect('w', operationId, { outcome: 'failed', evidenceRef: 'log:1' });
    await expect(announce('bob', 'o-1', 'invented')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await desk.owner.show('w')).effects).toEqual([]);
    // Who made the result, who runs the desk, and whoever is about to complete it.
    for (const [who, operationId, action] of [
      ['ann', 'o-2', 'mail'],
      ['otto', 'o-3', 'mail'],
      ['bob', 'o-4', 'complete'],
    ] as const) {
      expect((await announce(who, operationId, action)).goAhead).toBe(true);
      await settle(who, operationId);
    }
    expect((await desk.owner.complete('w', completionOf(passed))).work.status).toBe('DONE');
  });
});
