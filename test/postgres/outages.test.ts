import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCluster } from '../../proof/storm/postgres-cluster.js';
import { openSignalbox, Refusal, type Signalbox } from '../../src/index.js';
import type { Difference } from '../../src/operations/difference.js';
import { verifyLedger } from '../../src/operations/verify.js';
import { ChangingAddress } from '../support/changing-address.js';

const LANES = 6;

interface Acknowledged {
  readonly workId: string;
  readonly receiptId: string;
}

let folder: string;
let primary: PostgresCluster;
let standby: PostgresCluster | undefined;
let address: ChangingAddress;
let box: Signalbox;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-outages-'));
  // Where root starts PostgreSQL, another user runs it, and must reach the folder.
  await chmod(folder, 0o755);
  primary = await PostgresCluster.create(join(folder, 'primary'));
  address = await ChangingAddress.to(primary.port);
  const url = new URL(primary.url);
  url.port = String(address.port);
  box = await openSignalbox({ dataDir: join(folder, 'data'), databaseUrl: url.href });
}, 180_000);
afterAll(async () => {
  await box.close();
  await address.close();
  await standby?.remove();
  await primary.remove();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** Sends a change until it is answered. Only BUSY is sent again: any other refusal would call failed what may stand. */
async function persist<T>(send: (keyed: { idempotencyKey: string }) => Promise<T>): Promise<T> {
  const keyed = { idempotencyKey: randomUUID() };
  for (;;) {
    try {
      return await send(keyed);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'BUSY')) throw error;
      await sleep(50);
    }
  }
}

/** Works are registered, promoted and cancelled by several hands for as long as something is done to their database. */
async function answering(meanwhile: (answered: () => number) => Promise<void>): Promise<Acknowledged[]> {
  const owner = box.as('owner');
  const told: Acknowledged[] = [];
  const over = new AbortController();
  const lane = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const workId = randomUUID();
      await persist((keyed) => owner.register({ workId, input: {} }, keyed));
      const promoted = await persist((keyed) => owner.promote(workId, { reason: 'go' }, keyed));
      told.push({ workId, receiptId: promoted.receipt.receiptId });
      const at = { interruptId: promoted.work.wait?.interruptId };
      const ended = await persist((keyed) => owner.cancel(workId, { ...at, reason: 'over' }, keyed));
      told.push({ workId, receiptId: ended.receipt.receiptId });
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  await Promise.race([meanwhile(() => told.length), lanes]);
  over.abort();
  await lanes;
  return told;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

/** Every answer that somebody was told of has its receipt, accepted and applied, and the ledger proves itself. */
async function expectKept(told: readonly Acknowledged[]): Promise<void> {
  const lost: Acknowledged[] = [];
  const works = [...new Set(told.map((each) => each.workId))];
  const kept = new Set<string>();
  for (const workId of works)
    for (const { receiptId, outcome, appliedAt } of await box.as('owner').receipts(workId))
      if (outcome === 'accepted' && appliedAt !== null) kept.add(receiptId);
  for (const each of told) if (!kept.has(each.receiptId)) lost.push(each);
  expect(lost).toEqual([]);
  const faults: Difference[] = [];
  for await (const each of verifyLedger(box.desk)) if (each.severity === 'fault') faults.push(each);
  expect(faults).toEqual([]);
}

describe('a database that is restarted in the midst of answers', () => {
  it.each(['fast', 'immediate'] as const)(
    'stopped (%s): what was acknowledged is there, nothing accepted is called failed, and answers go on',
    async (mode) => {
      const told = await answering(async (answered) => {
        await until(() => answered() >= 20);
        await primary.stop(mode);
        const before = answered();
        await primary.start();
        await until(() => answered() >= before + 20);
      });
      await expectKept(told);
    },
    120_000,
  );
});

describe('a standby that takes over, with synchronous replication', () => {
  it('has all that was acknowledged; the desk goes on there, and never on a server that is a standby', async () => {
    standby = await primary.standby(join(folder, 'standby'));
    await primary.replicateTo('standby');
    const told = await answering(async (answered) => {
      await until(() => answered() >= 20);
      const before = answered();
      await primary.stop('immediate');
      // Led there before it is promoted: a desk that took it for the primary would answer from what cannot be changed.
      address.lead(standby?.port ?? 0);
      await sleep(300);
      await standby?.promote();
      await until(() => answered() >= before + 20);
    });
    await expectKept(told);
    expect(await standby.query('SELECT pg_is_in_recovery() AS recovering')).toEqual([{ recovering: false }]);
  }, 180_000);

  it('is missing: a commit whose wait for it was cancelled is not called accepted', async () => {
    if (!standby) throw new Error('the standby was made above');
    await standby.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await standby.query('SELECT pg_reload_conf()');
    const registering = box.as('owner').register({ workId: 'unreplicated', input: {} });
    // It may be refused while the test is still asking the standby.
    registering.catch(() => undefined);
    const waiting = async (): Promise<boolean> =>
      ((await standby?.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")) ?? []).length >
      0;
    while (!(await waiting())) await sleep(50);
    await standby.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    await expect(registering).rejects.toThrow(/BUSY.*may or may not stand/);
    await standby.query('ALTER SYSTEM RESET synchronous_standby_names');
    await standby.query('SELECT pg_reload_conf()');
    expect((await box.as('owner').show('unreplicated')).status).toBe('DISCOVERED');
  }, 60_000);
});
