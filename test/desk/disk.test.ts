import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import type { SqliteStore } from '../../src/ledger/sqlite.js';
import { startDeskProcess } from '../support/desk-processes.js';
import { deskBox, faults, inReview, ready, type DeskBox } from '../support/desk-box.js';

const COMMAND = fileURLToPath(new URL('../../dist/surfaces/cli/main.js', import.meta.url));

let folder: string;
/** A desk that was killed: part of what it acknowledged is in the WAL alone. */
let killed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-disk-'));
  const desk = await deskBox({ recover: false }, 'sqlite');
  for (const workId of ['one', 'two', 'three']) await inReview(desk, workId);
  await desk.box.close();
  const child = await startDeskProcess(desk.dataDir);
  for (let index = 0; index < 40; index += 1)
    await child.call('owner', 'register', [{ workId: `late-${index}`, input: { text: 'x'.repeat(4000) } }]);
  await child.kill();
  killed = join(folder, 'killed');
  await cp(desk.dataDir, killed, { recursive: true });
  await rm(desk.dataDir, { recursive: true });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

let dataDir: string;
let count = 0;
beforeEach(async () => {
  dataDir = join(folder, `desk-${(count += 1)}`);
  await cp(killed, dataDir, { recursive: true });
});

const at = (name: string): string => join(dataDir, name);

/** What `signalbox` says on the folder, as its user sees it. */
function command(...args: string[]) {
  const { status, stderr, stdout } = spawnSync(process.execPath, [COMMAND, ...args, '--data', dataDir], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, said: stderr + stdout };
}

/** It is not opened, and its user is told what is wrong and what to do, without a stack. */
function expectRefused(...words: RegExp[]): void {
  const { status, said } = command('list');
  expect({ status, said }).toMatchObject({ status: 3 });
  for (const word of words) expect(said).toMatch(word);
  expect(said).not.toMatch(/\n\s+at /);
}

describe('a data folder that lost something is not opened as if nothing were missing:', () => {
  it('as it was left by a killed process it holds everything', async () => {
    const { status, said } = command('verify');
    expect({ status, said }).toMatchObject({ status: 0 });
    expect(said).toContain('43 works');
  });

  it('copied without its WAL', async () => {
    await rm(at('signalbox.db-wal'));
    expectRefused(/has lost what was acknowledged/, /signalbox\.db-wal/, /signalbox backup/);
  });

  it('its WAL cut short', async () => {
    await truncate(at('signalbox.db-wal'), 60_000);
    expectRefused(/has lost what was acknowledged/);
  });

  it('a page of its WAL overwritten', async () => {
    const wal = await readFile(at('signalbox.db-wal'));
    wal.fill(0xff, 40_000, 44_000);
    await writeFile(at('signalbox.db-wal'), wal);
    expectRefused(/has lost what was acknowledged/);
  });

  it('its database empty, or gone', async () => {
    await rm(at('signalbox.db-wal'));
    await writeFile(at('signalbox.db'), '');
    expectRefused(/has lost what was acknowledged/);
    await rm(at('signalbox.db'));
    await expect(openSignalbox({ dataDir })).rejects.toThrow(/has lost what was acknowledged/);
  });

  it('an older copy of its database put in its place', async () => {
    const older = await deskBox({ recover: false }, 'sqlite');
    await ready(older, 'only');
    await older.box.close();
    for (const name of await readdir(dataDir)) if (name.startsWith('signalbox.db-')) await keepAnchor(name);
    await cp(join(older.dataDir, 'signalbox.db'), at('signalbox.db'));
    await rm(older.dataDir, { recursive: true });
    expectRefused(/its history ends at \d+, and \d+ was reached/);
  });

  async function keepAnchor(name: string): Promise<void> {
    if (!name.endsWith('-acknowledged')) await rm(at(name));
  }

  it('and is opened with what is left once its user says so by removing the anchor', async () => {
    await rm(at('signalbox.db-wal'));
    await rm(at('signalbox.db-acknowledged'));
    const { status, said } = command('verify');
    expect({ status, said }).toMatchObject({ status: 0 });
    expect(said).not.toContain('43 works');
  });
});

describe('a data folder that is damaged says so and what to do:', () => {
  it('its database is some other file', async () => {
    await rm(at('signalbox.db-wal'));
    await writeFile(at('signalbox.db'), 'a letter to somebody\n'.repeat(500));
    expectRefused(/file is not a database/, /signalbox restore/);
  });

  it('its database is cut in half', async () => {
    command('verify'); // Brings the WAL in.
    await truncate(at('signalbox.db'), 100_000);
    expectRefused(/malformed/, /signalbox restore/);
  });

  it('a page of an index is overwritten: nothing that is read is wrong, and verify finds it', async () => {
    command('verify');
    const database = new Database(at('signalbox.db'), { readonly: true });
    const { rootpage } = database
      .prepare<[], { rootpage: number }>("SELECT rootpage FROM sqlite_master WHERE name = 'handoffs_of_work'")
      .get() ?? { rootpage: 0 };
    const size = database.pragma('page_size', { simple: true }) as number;
    database.close();
    const bytes = await readFile(at('signalbox.db'));
    bytes.fill(0x5a, (rootpage - 1) * size, rootpage * size);
    await writeFile(at('signalbox.db'), bytes);
    const { status, said } = command('verify');
    expect({ status, said }).toMatchObject({ status: 1 });
    expect(said).toMatch(/DATABASE_DAMAGED|malformed/);
  });

  it('the bytes of an artifact are others', async () => {
    const [tree = ''] = (await readdir(at('artifacts'))).filter((name) => name !== 'incoming');
    const [prefix = ''] = await readdir(join(at('artifacts'), tree));
    const [name = ''] = await readdir(join(at('artifacts'), tree, prefix));
    await writeFile(join(at('artifacts'), tree, prefix, name), '{"forged":true}');
    const { status, said } = command('verify');
    expect(status).toBe(1);
    expect(said).toContain(`ARTIFACT_DAMAGED: the bytes of artifact ${name} are damaged`);
  });
});

describe('a full disk', () => {
  let desk: DeskBox;
  afterEach(() => desk.close());

  it('turns away what no longer fits, keeps what was acknowledged, and goes on when there is space', async () => {
    desk = await deskBox({ recover: false }, 'sqlite');
    await ready(desk, 'before');
    const { connection } = desk.box.desk.store as SqliteStore;
    const pages = connection.pragma('page_count', { simple: true }) as number;
    connection.pragma(`max_page_count = ${pages}`);
    const big = { workId: 'big', input: { text: 'x'.repeat(500_000) } };
    await expect(desk.owner.register(big)).rejects.toMatchObject({
      code: 'BUSY',
      detail: 'the disk is full; nothing was changed',
    });
    await expect(desk.owner.show('big')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await desk.owner.show('before')).status).toBe('READY');
    connection.pragma('max_page_count = 1073741823');
    expect((await desk.owner.register(big)).outcome).toBe('created');
    expect(await faults(desk)).toEqual([]);
  });
});

/** Only root may mount; elsewhere these are left to CI. */
const small = await mountable();

async function mountable(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const place = await mkdtemp(join(tmpdir(), 'signalbox-mount-'));
  const mounted = mount('size=64k', place);
  if (mounted) unmount(place);
  await rm(place, { recursive: true });
  return mounted;
}

function mount(options: string, place: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place]).status === 0;
}

function unmount(place: string): void {
  spawnSync('umount', [place]);
}

describe.runIf(small)('a file system of its own', () => {
  let place: string;
  beforeEach(async () => {
    place = join(folder, `mount-${(count += 1)}`);
    await mkdir(place);
    mount('size=6m', place);
  });
  afterEach(() => unmount(place));

  it('that is full takes no artifact and no work, and says so; nothing that was acknowledged is lost', async () => {
    const box = await openSignalbox({ dataDir: place, recover: false });
    const owner = box.as('owner');
    await owner.register({ workId: 'before', input: {} });
    await expect(
      owner.putArtifact(Buffer.alloc(8_000_000), 'application/octet-stream'),
    ).rejects.toMatchObject({
      code: 'BUSY',
      detail: 'the disk is full; nothing was stored',
    });
    const filler = join(place, 'filler');
    await writeFile(filler, Buffer.alloc(8_000_000)).catch(() => undefined);
    await expect(
      owner.register({ workId: 'big', input: { text: 'x'.repeat(200_000) } }),
    ).rejects.toMatchObject({
      code: 'BUSY',
    });
    await rm(filler);
    expect((await owner.register({ workId: 'after', input: {} })).outcome).toBe('created');
    expect((await owner.show('before')).status).toBe('DISCOVERED');
    expect((await owner.verify()).differences).toEqual([]);
    await box.close();
  });

  it('that is read-only says which folder must be writable', async () => {
    const box = await openSignalbox({ dataDir: place, recover: false });
    await box.close();
    spawnSync('mount', ['-o', 'remount,ro', place]);
    await expect(openSignalbox({ dataDir: place })).rejects.toThrow(/writable for this user/);
  });
});
