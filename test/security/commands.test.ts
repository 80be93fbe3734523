import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import { runShell } from '../../src/workers/shell-command.js';
import { start } from '../cli/command.js';
import { textOf, workOnce } from '../workers/working.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-commands-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SHELL = [
  '$(touch PWNED)',
  '`touch PWNED`',
  '"; touch PWNED; "',
  "'; touch PWNED; '",
  '| touch PWNED',
  '&& touch PWNED',
  '-rf /',
  '--help',
  '../../etc',
  '$IFS',
  '\ntouch PWNED\n',
];

describe('shell syntax in a work', () => {
  it('reaches a worker’s command as data, and runs nothing', { timeout: 60_000 }, async () => {
    const box = await openSignalbox({ dataDir: join(folder, 'data'), recover: false });
    const owner = box.as('owner');
    await owner.putPrincipal({ name: 'ann', roles: ['worker'] });
    for (const [index, text] of SHELL.entries()) {
      const workId = `w${index}'"$(touch;PWNED)`;
      await owner.register({ workId, title: text.trim(), input: { [text]: text } });
      await owner.promote(workId, { reason: 'go' });
      const command = `cd ${JSON.stringify(folder)} && printf '%s|%s' "$SIGNALBOX_TITLE" "$SIGNALBOX_WORK_ID" > "$SIGNALBOX_OUTPUT.txt" && cat "$SIGNALBOX_INPUT" > /dev/null`;
      const { count } = await workOnce(box.as('ann'), command);
      expect(count.done).toBe(1);
      const { artifactSha256 } = await owner.show(workId);
      expect(await textOf(owner, artifactSha256 ?? '')).toBe(`${text.trim()}|${workId}`);
    }
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
    await box.close();
  });
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a command whose worker is killed', () => {
  it('is ended with everything it started, though nobody could tell it to', { timeout: 60_000 }, async () => {
    const dataDir = join(folder, 'data');
    const box = await openSignalbox({ dataDir, recover: false });
    await box.as('owner').register({ workId: 'k', input: 1 });
    await box.as('owner').promote('k', { reason: 'go' });
    await box.close();
    const pids = join(folder, 'pids');
    const command = `trap '' TERM; sleep 300 & echo $! $$ > ${pids}.new && mv ${pids}.new ${pids}; wait`;
    const worker = start(['worker', '--exec', command, '--once', '--data', dataDir]);
    await expect.poll(() => existsSync(pids), { timeout: 30_000 }).toBe(true);
    const running = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    expect(running.map(isAlive)).toEqual([true, true]);
    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    await gone;
    await expect.poll(() => running.map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
  });

  it('runs as before otherwise: its input, its words, its exit code, its signals', async () => {
    const lines: string[] = [];
    const run = (command: string, stdin = '') =>
      runShell({
        command,
        folder,
        env: { PATH: process.env['PATH'] ?? '' },
        stdin,
        signal: new AbortController().signal,
        onLine: (line) => lines.push(line),
      });
    expect(await run('cat; echo "$0 $#"; exit 3', 'hello\n')).toMatchObject({ how: 'exited', code: 3 });
    expect(lines).toEqual(['hello', '/bin/sh 0']);
    expect(await run('kill -USR1 $$')).toMatchObject({ how: 'killed', by: 'SIGUSR1' });
    expect(await run('sleep 0.1 & wait; exit 4')).toMatchObject({ how: 'exited', code: 4 });
  });
});
