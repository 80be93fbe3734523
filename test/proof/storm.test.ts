import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findings } from '../../proof/storm/findings.js';
import type { Acknowledged, Entry } from '../../proof/storm/journal.js';
import { storm } from '../../proof/storm/storm.js';
import { deskBox, inProgress, stored, type DeskBox } from '../support/desk-box.js';

const backend = process.env['SIGNALBOX_TEST_BACK_END'] === 'postgres' ? 'postgres' : 'sqlite';
/** PostgreSQL is stopped in order and crashed within this, so it takes a little longer. */
const DURATION_ms = backend === 'postgres' ? 12_000 : 8_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-storm-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('two servers and four workers, one of them killed every second or two', () => {
  it('lose nothing that was acknowledged, apply nothing twice, and leave a ledger that proves itself', async () => {
    const report = await storm({
      backend,
      duration_ms: DURATION_ms,
      servers: 2,
      workers: 4,
      workerProcesses: 2,
      pause_ms: [700, 1_500],
      seed: 7,
      folder,
      program: resolve('dist/surfaces/cli/main.js'),
    });
    expect(report.findings.filter((finding) => finding.against.length > 0)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(20);
    const sorts = new Set(report.blows.map((blow) => blow.what));
    if (backend === 'postgres') expect([...sorts]).toContain('database crashed');
    expect(report.blows.length).toBeGreaterThan(2);
  }, 300_000);
});

/** What a client that was lied to would have in its journal. */
const told = (more: Partial<Acknowledged>): Acknowledged => ({
  kind: 'acknowledged',
  at_ms: 1,
  lane: 'worker-0',
  verb: 'submit',
  key: 'key',
  tries: 1,
  ...more,
});

// A check that cannot fail proves nothing: each sort of loss must be found.
describe('the look at what a storm has left', () => {
  let desk: DeskBox;
  let receiptId: string;
  beforeAll(async () => {
    desk = await deskBox({ recover: false });
    await inProgress(desk, 'w');
    receiptId =
      (await desk.owner.receipts('w')).find((receipt) => receipt.action === 'claim')?.receiptId ?? '';
  });
  afterAll(() => desk.close());

  const against = async (...entries: Entry[]): Promise<string[]> =>
    (await findings(desk.box, entries)).flatMap((finding) => finding.against);

  it('finds nothing where everything is as it was told', async () => {
    const sha256 = await stored(desk, '{"of":"w"}');
    const clean = await against(
      told({ verb: 'register', outcome: 'created', workId: 'w' }),
      told({ verb: 'claim', workId: 'w', receiptId }),
      told({ verb: 'putArtifact', sha256 }),
      told({ verb: 'intendEffect', goAhead: 'op' }),
      { kind: 'refused', at_ms: 1, lane: 'worker-0', verb: 'claim', code: 'ALREADY_CLAIMED', detail: '' },
    );
    expect(clean).toEqual([]);
  });

  it.each<[string, Entry[], RegExp]>([
    ['a lost registration', [told({ outcome: 'created', workId: 'gone' })], /lost: gone/],
    [
      'a work that was created twice',
      [told({ outcome: 'created', workId: 'w' }), told({ outcome: 'created', workId: 'w', key: 'other' })],
      /created twice/,
    ],
    ['a lost receipt', [told({ workId: 'w', receiptId: 'gone' })], /lost: submit gone/],
    ['a lost artifact', [told({ sha256: 'a'.repeat(64) })], /aaaa/],
    ['a second go-ahead', [told({ goAhead: 'op' }), told({ goAhead: 'op' })], /^op$/],
    [
      'a server that failed',
      [{ kind: 'trouble', at_ms: 1, lane: 'worker-0', verb: 'claim', what: 'HTTP 500' }],
      /HTTP 500/,
    ],
    [
      'a refusal that no race explains',
      [{ kind: 'refused', at_ms: 1, lane: 'worker-0', verb: 'claim', code: 'NOT_FOUND', detail: 'w' }],
      /NOT_FOUND/,
    ],
  ])('finds %s', async (_name, entries, message) => {
    expect((await against(...entries)).join('\n')).toMatch(message);
  });

  it('finds an answer that one request was given and another one too', async () => {
    const twice = [
      told({ verb: 'claim', workId: 'w', receiptId }),
      told({ verb: 'claim', workId: 'w', receiptId, key: 'other' }),
    ];
    expect(await against(...twice)).toEqual([`${receiptId} was given to two requests`]);
  });
});
