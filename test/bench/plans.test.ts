import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../../bench/fill.js';
import { deskOn } from '../../bench/flat-measures.js';
import type { Door, Signalbox } from '../../src/index.js';
import { BASKET_VIEWS } from '../../src/operations/basket/views.js';
import { statusNumbers } from '../../src/operations/basket/status-numbers.js';
import type { Desk } from '../../src/operations/desk.js';
import { doorFor } from '../../src/operations/door.js';
import type { SqliteStore } from '../../src/ledger/sqlite.js';
import type { SqlValue, Tx } from '../../src/ledger/sql.js';

/** Tables that grow with every work. */
const LARGE =
  /^(?:SCAN|SEARCH) (?:works|w|o|receipts|r|c|history|leases|checkpoints|writes|input_versions)\b/;
/** Indexes of a few, which may be gone through from end to end. */
const OF_A_FEW = /works_(?:due_ranked|held_ranked|not_applied|claimable\w*)/;

let folder: string;
let box: Signalbox;
const steps = new Map<string, string>();

/** A desk whose statements are explained, each in the transaction that runs it. */
function explainedDesk(): Desk {
  const store = box.desk.store as SqliteStore;
  function* watched<T>(work: Tx<T>): Tx<T> {
    let step = work.next();
    while (!step.done) {
      const { parts, values } = step.value;
      const text = parts.join('?');
      const plan = store.connection.prepare(`EXPLAIN QUERY PLAN ${text}`);
      for (const { detail } of plan.all(...(values as SqlValue[])) as { detail: string }[])
        steps.set(detail, text.replaceAll(/\s+/g, ' '));
      step = work.next(yield step.value);
    }
    return step.value;
  }
  return {
    ...box.desk,
    store: {
      dialect: store.dialect,
      read: <T>(work: () => Tx<T>) => store.read(() => watched(work())),
      write: <T>(work: () => Tx<T>) => store.write(() => watched(work())),
      settledPosition: () => store.settledPosition(),
      onWritten: (listener: () => void) => store.onWritten(listener),
      damage: () => store.damage(),
      close: () => store.close(),
    },
  };
}

const explained = (principal: string): Door => doorFor(explainedDesk(), { tenant: 'default', principal });

const slow = (): string[] =>
  [...steps]
    .filter(([detail]) => LARGE.test(detail))
    // Through the whole table, or through all that the tenant has.
    .filter(([detail]) => detail.startsWith('SCAN') || detail.endsWith('(tenant=?)'))
    .filter(([detail]) => !OF_A_FEW.test(detail))
    // A first page in the order of the index ends after a page.
    .filter(([detail, text]) => !(detail.includes('works_created') && text.includes('AS sort_key')))
    .map(([detail, text]) => `${detail}: ${text}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-plans-'));
  await fill(folder, { works: 600, open: 300 });
  box = await deskOn(folder);
}, 120_000);
afterAll(async () => {
  await box.close();
  await rm(folder, { recursive: true, force: true });
});

describe('no statement goes through all works', () => {
  it('to show the basket, the numbers or a list', async () => {
    steps.clear();
    const otto = explained('otto');
    for (const view of BASKET_VIEWS) await otto.basket({ view });
    await otto.stats();
    await otto.dailyReport();
    await otto.list({});
    await statusNumbers(explainedDesk(), { tenant: 'default', principal: 'otto' });
    expect(steps.size).toBeGreaterThan(20);
    expect(slow()).toEqual([]);
  });

  it('in the life of one', async () => {
    steps.clear();
    const [ann, rita, otto] = [explained('ann'), explained('rita'), explained('otto')];
    const { sha256 } = await ann.putArtifact('{"of":"one"}', 'application/json');
    await otto.register({ kind: 'bench', workId: 'one', input: {} });
    await otto.promote('one', { reason: 'it is work' });
    const { claim } = await ann.claim('one', {});
    await ann.renew('one', { interruptId: claim.interruptId, progress: { done: 1, total: 2 } });
    const result = { interruptId: claim.interruptId, inputVersion: 1, artifact: { sha256 } };
    const { work } = await ann.submit('one', result);
    const about = { artifactSha256: sha256, evidenceRef: 'log:1' };
    await rita.review('one', { interruptId: work.wait?.interruptId, ...about, verdict: 'PASS' });
    await otto.show('one');
    await otto.history('one');
    await otto.investigation('life-held-5');
    expect(await explained('bob').claimNext({})).not.toBeNull();
    await explained('scout').recordException({
      exceptionId: 'e-1',
      origin: { system: 'ordering', runId: 'run-1' },
      classification: 'price-mismatch',
      occurredAt: new Date().toISOString(),
    });
    expect(steps.size).toBeGreaterThan(20);
    expect(slow()).toEqual([]);
  });
});
