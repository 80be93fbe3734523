import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../../bench/fill.js';
import { deskOn, lifecycle } from '../../bench/flat-measures.js';
import type { Signalbox } from '../../src/index.js';

let folder: string;
let box: Signalbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-fill-'));
  await fill(folder, { works: 600, open: 300 });
  box = await deskOn(folder);
}, 120_000);
afterAll(async () => {
  await box.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a store that was filled for a benchmark', () => {
  it('is as the desk would have left it: verify finds nothing, and the numbers are those that were asked for', async () => {
    const report = await box.as('owner').verify();
    expect(report).toMatchObject({ faults: 0, differences: [] });
    expect(report.works).toBeGreaterThan(590);
    const stats = await box.as('owner').stats();
    if (!('kinds' in stats)) throw new Error('by kind is what was asked for');
    const open = stats.kinds.reduce((sum, kind) => sum + kind.open, 0);
    expect(open).toBeGreaterThan(290);
    expect(stats.kinds.find(({ kind }) => kind === 'bench')?.counts).toMatchObject({
      DONE: 105,
      CANCELLED: 195,
    });
  });

  it('goes on: waits of works that were never lived take their answers, and new works are lived beside them', async () => {
    const [ann, rita, otto] = [box.as('ann'), box.as('rita'), box.as('otto')];
    const judged = await rita.show('life-judged-7');
    const { work } = await rita.review('life-judged-7', {
      interruptId: judged.wait?.interruptId,
      artifactSha256: judged.artifactSha256,
      verdict: 'PASS',
      evidenceRef: 'log:1',
    });
    expect(work.status).toBe('MERGE_READY');
    const promoted = await otto.promote('life-discovered-5', { reason: 'it is work' });
    expect(promoted.work.status).toBe('READY');
    expect((await ann.claim('life-discovered-5', {})).work.status).toBe('IN_PROGRESS');
    await lifecycle(box, 'lived');
    expect((await ann.show('lived')).status).toBe('DONE');
    expect(await box.as('owner').verify()).toMatchObject({ faults: 0 });
  });
});
