import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSignalbox, type OpenOptions, type Signalbox } from '../../src/index.js';
import { testDatabase } from '../support/postgres.js';

export interface TestDesk {
  readonly dataDir: string;
  /** Of its PostgreSQL database; undefined on SQLite. */
  readonly databaseUrl: string | undefined;
  readonly box: Signalbox;
  /** The desk's clock, in ms; moved by hand. */
  readonly clock: { now_ms: number };
  close(): Promise<void>;
}

/** A desk with people: ai (scout), ann, bob and cid (worker), op (operator), owner. Origins are told only by hand. */
export async function deskWithPeople(options: OpenOptions = {}): Promise<TestDesk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-basket-'));
  const database = process.env['SIGNALBOX_TEST_BACK_END'] === 'postgres' ? await testDatabase() : undefined;
  const place = database ? { databaseUrl: database.url } : {};
  const clock = { now_ms: Date.parse('2026-03-02T09:00:00Z') };
  const box = await openSignalbox({
    dataDir,
    deliver: false,
    now_ms: () => clock.now_ms,
    ...place,
    ...options,
  });
  const owner = box.as('owner');
  for (const [name, role] of [
    ['ai', 'scout'],
    ['ann', 'worker'],
    ['bob', 'worker'],
    ['cid', 'worker'],
    ['op', 'operator'],
  ] as const)
    await owner.putPrincipal({ name, roles: [role] });
  return {
    dataDir,
    databaseUrl: database?.url,
    box,
    clock,
    async close() {
      await box.close();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An exception as an AI would raise it; `more` changes what a test is about. */
export function exception(id: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    exceptionId: id,
    origin: { system: 'ordering', runId: 'run-1', conversationId: 'c-1' },
    classification: 'price-mismatch',
    impact: 'high',
    urgency: 'medium',
    occurredAt: '2026-03-02T08:59:00Z',
    evidence: [{ label: 'quote', body: { secret: 'the price is 17' } }],
    doneSoFar: { orderDrafted: true },
    ...more,
  };
}

/** Claims a case and decides it; gives what decideCase gives. */
export async function claimAndDecide(box: Signalbox, who: string, workId: string, more: object = {}) {
  const { claim } = await box.as(who).claim(workId, {});
  return await box.as(who).decideCase(workId, {
    interruptId: claim.interruptId,
    inputVersion: claim.inputVersion,
    decision: 'order',
    reason: 'the price is right',
    ...more,
  });
}
