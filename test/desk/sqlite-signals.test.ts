import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixed, run } from '../../src/ledger/sql.js';
import { SqliteStore } from '../../src/ledger/sqlite.js';

let folder: string;
let here: SqliteStore;
let there: SqliteStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-signals-'));
  here = new SqliteStore(join(folder, 'one.db'));
  there = new SqliteStore(join(folder, 'one.db'));
  here.connection.exec('CREATE TABLE counted (n INTEGER)');
});
afterEach(async () => {
  await here.close();
  await there.close();
  await rm(folder, { recursive: true, force: true });
});

const count = (store: SqliteStore) => store.write(() => run(fixed('INSERT INTO counted VALUES (1)')));

describe('whoever listens to a SQLite file', () => {
  it('hears at once of what its own process writes', async () => {
    let heard = 0;
    here.onWritten(() => (heard += 1));
    await count(here);
    expect(heard).toBe(1);
  });

  it('hears of what another connection wrote, and of nothing where nothing was written', async () => {
    let heard = 0;
    here.onWritten(() => (heard += 1));
    await pause(100);
    expect(heard).toBe(0);
    await count(there);
    await expect.poll(() => heard, { timeout: 10_000, interval: 5 }).toBe(1);
  });

  it('hears nothing more once it has said so, or the store is closed', async () => {
    let heard = 0;
    const stop = here.onWritten(() => (heard += 1));
    stop();
    await count(there);
    await pause(100);
    expect(heard).toBe(0);
    here.onWritten(() => (heard += 1));
    await here.close();
    await count(there);
    await pause(100);
    expect(heard).toBe(0);
  });
});
