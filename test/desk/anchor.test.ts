import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import { deskBox, type DeskBox } from '../support/desk-box.js';
import { startDeskProcess } from '../support/desk-processes.js';

const ROUNDS = 3;
const CALLS = 30;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-anchor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const anchorOf = (dataDir: string): string => join(dataDir, 'signalbox.db-acknowledged');
const expectOpens = async (dataDir: string): Promise<void> => {
  const box = await openSignalbox({ dataDir });
  expect(box.ownerToken).toBeNull();
  await box.close();
};

/** A closed desk of so many works. */
async function closedDesk(works: number): Promise<DeskBox> {
  const desk = await deskBox({ recover: false }, 'sqlite');
  for (let index = 0; index < works; index += 1)
    await desk.owner.register({ workId: `w${index}`, input: {} });
  await desk.box.close();
  return desk;
}

describe('the anchor raises no false alarm', () => {
  it('where two processes write one file and one of them is killed: it is never ahead of what is committed', async () => {
    const desk = await closedDesk(1);
    const raw = new Database(join(desk.dataDir, 'signalbox.db'), { readonly: true });
    const position = raw.prepare<[], { seq: number }>(
      "SELECT seq FROM sqlite_sequence WHERE name = 'history'",
    );
    let ahead = 0;
    let looks = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const processes = await Promise.all([startDeskProcess(desk.dataDir), startDeskProcess(desk.dataDir)]);
      const calls = processes.flatMap((process, which) =>
        Array.from({ length: CALLS }, (_, index) =>
          process
            .call('owner', 'register', [{ workId: `${round}-${which}-${index}`, input: {} }])
            .catch(() => null)
            .then(() => {
              // What was acknowledged first, then what is there.
              const [first, second] = readFileSync(anchorOf(desk.dataDir), 'utf8').trim().split(/\s+/);
              looks += 1;
              if (first === second && Number(first) > (position.get()?.seq ?? 0)) ahead += 1;
              return null;
            }),
        ),
      );
      await Promise.race(calls.slice(CALLS));
      await processes[1]?.kill();
      await Promise.all(calls);
      await processes[0]?.kill();
      await expectOpens(desk.dataDir);
    }
    raw.close();
    expect({ ahead, looks }).toEqual({ ahead: 0, looks: ROUNDS * CALLS * 2 });
    await rm(desk.dataDir, { recursive: true });
  }, 180_000);

  it('where a process died between its commit and the anchor, which is then behind', async () => {
    const desk = await closedDesk(2);
    const before = await readFile(anchorOf(desk.dataDir));
    const box = await openSignalbox({ dataDir: desk.dataDir, recover: false });
    await box.as('owner').register({ workId: 'later', input: {} });
    await box.close();
    const after = await readFile(anchorOf(desk.dataDir));
    expect(after).not.toEqual(before);
    await writeFile(anchorOf(desk.dataDir), before);
    await expectOpens(desk.dataDir);
    expect(await readFile(anchorOf(desk.dataDir))).toEqual(after);
    await rm(desk.dataDir, { recursive: true });
  });

  it('wherever the writing of it was cut: every mixture of an old and a new one opens', async () => {
    const desk = await closedDesk(12);
    const now = await readFile(anchorOf(desk.dataDir));
    const [number = ''] = now.toString().trim().split(/\s+/);
    // 9 over 10 reads as 90, or 19: greater than what was ever reached.
    const older = Buffer.from(`${'9'.repeat(number.length - 1).padStart(now.length / 2 - 1)}\n`.repeat(2));
    for (let cut = 0; cut <= now.length; cut += 1) {
      await writeFile(anchorOf(desk.dataDir), Buffer.concat([now.subarray(0, cut), older.subarray(cut)]));
      await expectOpens(desk.dataDir);
    }
    for (const torn of ['', ' ', '12', 'x'.repeat(48), String(now).slice(0, 30)]) {
      await writeFile(anchorOf(desk.dataDir), torn);
      await expectOpens(desk.dataDir);
    }
    await rm(desk.dataDir, { recursive: true });
  }, 120_000);

  it('where a whole folder is copied from a desk that is closed, or put back in its place', async () => {
    const desk = await closedDesk(2);
    const copy = join(folder, 'copy');
    await cp(desk.dataDir, copy, { recursive: true });
    await expectOpens(copy);
    const box = await openSignalbox({ dataDir: desk.dataDir, recover: false });
    await box.as('owner').register({ workId: 'later', input: {} });
    await box.close();
    await rm(desk.dataDir, { recursive: true });
    await cp(copy, desk.dataDir, { recursive: true });
    await expectOpens(desk.dataDir);
    await rm(desk.dataDir, { recursive: true });
  });
});
