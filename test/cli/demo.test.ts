import { expect, it } from 'vitest';
import type { StoryEvent } from '../../src/surfaces/cli/demo/story.js';
import { dataFolder, signalbox } from './command.js';

it('the demo tells a story of real receipts and refusals, and leaves a folder to look at', async () => {
  const folder = await dataFolder();
  try {
    const told = await signalbox(['demo', '--data', folder.path, '--json']);
    expect(told).toMatchObject({ code: 0, stderr: '', json: { clean: true, dataFolder: folder.path } });
    const events = told.json.events as StoryEvent[];
    const codes = new Set(events.map((event) => event.outcome));
    for (const code of ['ALREADY_CLAIMED', 'STALE_INTERRUPT', 'INPUT_CHANGED', 'SELF_APPROVAL', 'OWNER_ONLY'])
      expect(codes).toContain(code);
    const waiting = events.findLast((event) => event.status === 'OWNER_GATE');
    const receipts = (await folder.run(['receipts', waiting?.workId ?? ''])).json as { receiptId: string }[];
    const known = receipts.map((receipt) => receipt.receiptId);
    const ofIt = events.filter((event) => event.workId === waiting?.workId && event.receiptId !== null);
    expect(ofIt.length).toBeGreaterThan(2);
    for (const event of ofIt) expect(known).toContain(event.receiptId);
    expect((await folder.run(['show', waiting?.workId ?? ''])).json).toMatchObject({
      status: 'OWNER_GATE',
      gate: { action: 'pay' },
    });
    const again = await signalbox(['demo', '--data', folder.path]);
    expect(again.code).toBe(2);
  } finally {
    await folder.remove();
  }
}, 120_000);

it('for people it ends by telling how to look further', async () => {
  const folder = await dataFolder();
  try {
    const told = await signalbox(['demo', '--data', folder.path]);
    expect(told.code).toBe(0);
    expect(told.stdout).toContain('Two workers race');
    expect(told.stdout).toContain(`npm start -- --data ${folder.path}`);
  } finally {
    await folder.remove();
  }
}, 120_000);
