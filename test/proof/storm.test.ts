import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Approvals } from '../../proof/storm/approvals.js';
import { findings } from '../../proof/storm/findings.js';
import type { Acknowledged, Entry } from '../../proof/storm/journal.js';
import { storm } from '../../proof/storm/storm.js';
import type { HistoryRow, ReceiptRow } from '../../src/ledger/rows.js';
import {
  deskBox,
  inProgress,
  inReview,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';

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
    // A real approval, so that the check of approvals cannot drift from what decisions look like on record.
    const reviewed = verdictOn(await inReview(desk, 'gated'), 'ESCALATE');
    const { work } = await desk.as('rita').review('gated', reviewed);
    const of = { interruptId: waitOf(work), artifactSha256: work.artifactSha256, action: work.gate?.action };
    await desk.owner.decide('gated', { ...of, decision: 'approve', reason: 'fine' });
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
    const looked = (await findings(desk.box, [])).map(({ name, looked: at }) => [name.slice(0, 2), at]);
    expect(looked).toContainEqual(['I7', 1]);
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

describe('the look at approvals', () => {
  const receipt = (receipt_id: string, more: object = {}) =>
    ({
      receipt_id,
      action: 'decide',
      outcome: 'accepted',
      artifact_sha256: 'a',
      body: '{"submission":{"decision":"approve"}}',
      ...more,
    }) as ReceiptRow;
  const event = (seq: number, receiptId: string, changes: object) =>
    ({
      work_id: 'w',
      seq,
      data: JSON.stringify({ receiptId }),
      changes: JSON.stringify(changes),
    }) as HistoryRow;
  const approval = (of: string): string =>
    JSON.stringify({ action: 'send', artifactSha256: of, by: 'owner' });
  const RECEIPTS = new Map(
    [
      receipt('yes'),
      receipt('no', { body: '{"submission":{"decision":"rework"}}' }),
      receipt('other', { action: 'review' }),
    ].map((each) => [each.receipt_id, each]),
  );
  const AT_THE_GATE = event(1, 'other', { status: 'OWNER_GATE', artifact_sha256: 'a' });
  const ON = { status: 'MERGE_READY', approval: approval('a') };
  const found = (...events: HistoryRow[]): readonly string[] => {
    const approvals = new Approvals(RECEIPTS);
    for (const each of events) approvals.see(each);
    return approvals.against.map((why) => why.replace(/^I7: w /, ''));
  };

  it.each([
    ['one that fits', [AT_THE_GATE, event(2, 'yes', ON)], []],
    ['one that a refusal gave', [AT_THE_GATE, event(2, 'no', ON)], ['2: an approval that decide no gave']],
    [
      'one of another artifact',
      [AT_THE_GATE, event(2, 'yes', { ...ON, approval: approval('b') })],
      ['2: an approval stands for another artifact', '2: an approval of what its decision did not name'],
    ],
    [
      'one that outlives its artifact',
      [AT_THE_GATE, event(2, 'yes', ON), event(3, 'other', { status: 'VALIDATION', artifact_sha256: 'b' })],
      ['3: an approval stands for another artifact'],
    ],
    [
      'one that enters the next gate',
      [AT_THE_GATE, event(2, 'yes', ON), event(3, 'other', { status: 'OWNER_GATE' })],
      ['3: an approval entered the gate'],
    ],
    [
      'one that is given twice',
      [AT_THE_GATE, event(2, 'yes', ON), event(3, 'x', { approval: null }), event(4, 'yes', ON)],
      ['4: the decision yes gave two approvals'],
    ],
  ] as const)('%s', (_name, events, against) => {
    expect(found(...events)).toEqual(against);
  });
});
