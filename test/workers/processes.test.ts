import { once } from 'node:events';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSignalbox } from '../../src/index.js';
import { dataFolder, signalbox, start, type Folder } from '../cli/command.js';
import { serving } from '../http/serving.js';

let folder: Folder;
beforeEach(async () => {
  folder = await dataFolder();
});
afterEach(() => folder.remove());

/** Registered and promoted in this process, which is quicker than by two more. */
async function ready(workId: string): Promise<void> {
  const box = await openSignalbox({ dataDir: folder.path, recover: false });
  const owner = box.as('owner');
  await owner.putPrincipal({ name: 'ann', roles: ['worker'] });
  await owner.putPrincipal({ name: 'rita', roles: ['reviewer'] });
  await owner.register({ workId, input: { n: 1 } });
  await owner.promote(workId, { reason: 'go' });
  await box.close();
}

const RESULT = 'echo done > "$SIGNALBOX_OUTPUT.txt"';

it(
  'worker and reviewer as processes on a data folder bring a work to MERGE_READY',
  { timeout: 120_000 },
  async () => {
    await ready('W-1');
    const worked = await folder.run(['worker', '--exec', RESULT, '--once', '--as', 'ann']);
    expect([worked.code, worked.stderr]).toEqual([0, '']);
    const reviewed = await folder.run([
      'reviewer',
      '--exec',
      'grep -q done "$SIGNALBOX_ARTIFACT"',
      '--once',
      '--as',
      'rita',
    ]);
    expect([reviewed.code, reviewed.stderr]).toEqual([0, '']);
    expect((await folder.run(['show', 'W-1'])).json).toMatchObject({ status: 'MERGE_READY', author: 'ann' });
    expect((await folder.run(['verify'])).code).toBe(0);
  },
);

it('a failing command ends --once with 1, wrong usage with 2', { timeout: 120_000 }, async () => {
  await ready('W-2');
  const failed = await signalbox([
    'worker',
    '--exec',
    'echo "cannot read it"; exit 7',
    '--once',
    '--data',
    folder.path,
  ]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('given back, now READY');
  expect(failed.stdout).toContain('cannot read it');
  for (const wrong of [
    ['--once'],
    ['--exec', 'x', '--concurrency', '0'],
    ['--exec', 'x', '--model-module', 'y'],
  ])
    expect((await folder.run(['worker', ...wrong])).code).toBe(2);
});

it('Ctrl-C ends the command and gives the work back', { timeout: 120_000 }, async () => {
  await ready('W-3');
  const file = join(folder.path, 'pid');
  const child = start([
    'worker',
    '--exec',
    `echo $$ > ${file}; echo "progress 1/2"; sleep 600`,
    '--data',
    folder.path,
  ]);
  for (
    let look = 0;
    look < 600 && !(existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    look += 1
  )
    await sleep(50);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow();
  expect((await folder.run(['show', 'W-3'])).json).toMatchObject({ status: 'READY', holder: null });
  expect((await folder.run(['history', 'W-3'])).stdout).toContain('the worker was stopped');
});

it(
  'a worker that is killed leaves a lease that runs out, and its work is still held until then',
  { timeout: 120_000 },
  async () => {
    await ready('W-4');
    const file = join(folder.path, 'pid');
    const child = start(['worker', '--exec', `echo $$ > ${file}; exec sleep 600`, '--data', folder.path]);
    for (
      let look = 0;
      look < 600 && !(existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
      look += 1
    )
      await sleep(50);
    child.kill('SIGKILL');
    await once(child, 'exit');
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    const { status, lease } = (await folder.run(['show', 'W-4'])).json;
    expect([status, lease.holder]).toEqual(['IN_PROGRESS', 'owner']);
    expect(Date.parse(lease.expiresAt)).toBeGreaterThan(Date.now());
  },
);

it('several at a time do every work of a server exactly once', { timeout: 120_000 }, async () => {
  const here = await serving();
  const owner = here.box.as('owner');
  const count = 12;
  for (let index = 0; index < count; index += 1) {
    await owner.register({ workId: `many-${index}`, input: index });
    await owner.promote(`many-${index}`, { reason: 'go' });
  }
  const env = { SIGNALBOX_URL: here.url, SIGNALBOX_TOKEN: await here.tokenOf('wanda') };
  const child = start(['worker', '--exec', `cat > /dev/null; ${RESULT}`, '--concurrency', '3', '--json'], {
    env,
  });
  let submitted = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    submitted += chunk.toString().split('"event":"submitted"').length - 1;
    if (submitted === count) child.kill('SIGTERM');
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect((await owner.list({ status: ['VP_REVIEW'] })).total).toBe(count);
  for (let index = 0; index < count; index += 1) {
    const receipts = await owner.receipts(`many-${index}`);
    expect(
      receipts.filter(({ action, outcome }) => action === 'claim' && outcome === 'accepted'),
    ).toHaveLength(1);
  }
  expect(here.errors).toEqual([]);
  await here.close();
});
