import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSignalbox, type Door, type OpenOptions, type Signalbox } from '../../src/index.js';
import type { WorkView } from '../../src/operations/views.js';
import type { Difference } from '../../src/operations/difference.js';
import { verifyLedger } from '../../src/operations/verify.js';
import { testDatabase } from './postgres.js';

/** A desk on a data folder of its own, with the people of these tests. */
export interface DeskBox {
  readonly dataDir: string;
  box: Signalbox;
  readonly owner: Door;
  as(name: string): Door;
  /** Closes and opens the folder again, as after a restart. */
  reopen(options?: OpenOptions): Promise<void>;
  close(): Promise<void>;
}

export const PEOPLE = [
  { name: 'ann', roles: ['worker'] },
  { name: 'bob', roles: ['worker'] },
  /** Ann again, by another name: the same actor. */
  { name: 'ann-reviews', actor: 'ann', roles: ['reviewer'] },
  { name: 'rita', roles: ['reviewer'] },
  { name: 'rob', roles: ['reviewer'] },
  { name: 'otto', roles: ['operator'] },
  { name: 'vic', roles: ['viewer'] },
] as const;

const databases = new Map<string, string>();
/** The PostgreSQL database of the desk with this data folder; undefined where it is on SQLite. */
export const databaseOf = (dataDir: string): string | undefined => databases.get(dataDir);

/** On the back end that the project of this test run names: SQLite, or PostgreSQL in a database of its own. */
export async function deskBox(
  options: OpenOptions = {},
  backEnd = process.env['SIGNALBOX_TEST_BACK_END'] ?? 'sqlite',
): Promise<DeskBox> {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-desk-'));
  const database = backEnd === 'postgres' ? await testDatabase() : undefined;
  if (database) databases.set(dataDir, database.url);
  const place = { dataDir, ...(database ? { databaseUrl: database.url } : {}) };
  const made: DeskBox = {
    dataDir,
    box: await openSignalbox({ ...place, ...options }),
    get owner() {
      return made.box.as('owner');
    },
    as: (name) => made.box.as(name),
    async reopen(more = options) {
      await made.box.close();
      made.box = await openSignalbox({ ...place, ...more });
    },
    async close() {
      await made.box.close();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  for (const person of PEOPLE) await made.owner.putPrincipal(person);
  return made;
}

export const waitOf = (work: WorkView): string => {
  if (!work.wait) throw new Error(`${work.workId} waits for nothing`);
  return work.wait.interruptId;
};

/** Registered and promoted. */
export async function ready(desk: DeskBox, workId: string, input: unknown = {}): Promise<WorkView> {
  await desk.owner.register({ workId, input });
  return (await desk.owner.promote(workId, { reason: 'go' })).work;
}

/** Claimed by `holder`. */
export async function inProgress(desk: DeskBox, workId: string, holder = 'ann'): Promise<WorkView> {
  await ready(desk, workId);
  return (await desk.as(holder).claim(workId, {})).work;
}

export async function stored(desk: DeskBox, content: string, by = 'ann'): Promise<string> {
  return (await desk.as(by).putArtifact(content, 'application/json')).sha256;
}

/** A result of `holder` for the wait it holds. */
export async function handIn(
  desk: DeskBox,
  work: WorkView,
  content: string,
  holder = 'ann',
): Promise<WorkView> {
  const sha256 = await stored(desk, content, holder);
  const body = { interruptId: waitOf(work), inputVersion: work.inputVersion, artifact: { sha256 } };
  return (await desk.as(holder).submit(work.workId, body)).work;
}

/** Handed in and validated: a verdict is waited for. */
export async function inReview(
  desk: DeskBox,
  workId: string,
  content = `{"of":"${workId}"}`,
): Promise<WorkView> {
  return await handIn(desk, await inProgress(desk, workId), content);
}

export const verdictOn = (work: WorkView, verdict: 'PASS' | 'REWORK' | 'ESCALATE') => ({
  interruptId: waitOf(work),
  artifactSha256: work.artifactSha256,
  verdict,
  evidenceRef: 'log:1',
  ...(verdict === 'PASS' ? {} : { findings: ['look again'] }),
});

export const completionOf = (work: WorkView) => ({
  interruptId: waitOf(work),
  artifactSha256: work.artifactSha256,
  outcome: 'merged',
  externalId: 'ext-1',
  evidenceRef: 'log:2',
});

/** Everything that `verify` calls damage. */
export async function faults(desk: DeskBox): Promise<Difference[]> {
  const found: Difference[] = [];
  for await (const each of verifyLedger(desk.box.desk)) if (each.severity === 'fault') found.push(each);
  return found;
}
