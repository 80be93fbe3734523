import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataFolder, signalbox, type Folder } from './command.js';

let folder: Folder;
beforeAll(async () => {
  folder = await dataFolder();
});
afterAll(() => folder.remove());

it('a work goes its whole way on a data folder, one process a step', { timeout: 240_000 }, async () => {
  const { run } = folder;
  const registered = await run(['register', '--work-id', 'A-1', '--title', 'First', '--input', '{"a":1}']);
  expect(registered).toMatchObject({ code: 0, stderr: '', json: { outcome: 'created' } });
  const again = await run(['register', '--work-id', 'A-1', '--title', 'First', '--input', '{"a":1}']);
  expect(again.json.outcome).toBe('existing');
  for (const [name, role] of [
    ['alice', 'worker'],
    ['rita', 'reviewer'],
  ] as const)
    expect((await run(['principal', 'add', name, '--role', role])).json).toMatchObject({
      name,
      roles: [role],
    });
  expect((await run(['promote', 'A-1', '--reason', 'ours'])).json.work.status).toBe('READY');

  const { claim } = (await run(['claim', '--as', 'alice'])).json;
  expect(claim).toMatchObject({ workId: 'A-1', inputVersion: 1, input: { a: 1 } });
  const taken = await run(['claim', 'A-1', '--as', 'owner']);
  expect(taken).toMatchObject({ code: 1, json: { error: { code: 'ALREADY_CLAIMED', holder: 'alice' } } });
  const renewed = await run([
    'renew',
    'A-1',
    '--as',
    'alice',
    '--interrupt',
    claim.interruptId,
    '--done',
    '1',
  ]);
  expect(renewed.json.lease).toMatchObject({ state: 'working', progress: { done: 1 } });

  const result = join(folder.path, 'result.txt');
  await writeFile(result, 'done');
  const first = ['submit', 'A-1', '--as', 'alice', '--interrupt', claim.interruptId, '--file', result];
  const submitted = await run([...first, '--idempotency-key', 'k-1']);
  expect(submitted.json.work.status).toBe('VP_REVIEW');
  const sentAgain = await run([...first, '--idempotency-key', 'k-1']);
  expect(sentAgain.json).toMatchObject({
    replayed: true,
    receipt: { receiptId: submitted.json.receipt.receiptId },
  });
  const artifact: string = submitted.json.work.artifactSha256;

  const verdict = async (...more: string[]) => {
    const { wait, artifactSha256 } = (await run(['show', 'A-1'])).json;
    const named = ['--interrupt', wait.interruptId, '--artifact', artifactSha256, '--evidence', 'file:r.md'];
    return await run(['review', 'A-1', '--as', 'rita', ...named, ...more]);
  };
  const back = await verdict(
    '--verdict',
    'REWORK',
    '--finding',
    'too short',
    '--finding',
    '{"message":"no title"}',
  );
  expect(back.json.work).toMatchObject({ status: 'REWORK', round: 2 });

  const second = (await run(['claim', 'A-1', '--as', 'alice'])).json.claim;
  expect(second.findings.map((finding: { message: string }) => finding.message)).toEqual([
    'too short',
    'no title',
  ]);
  const late = await run(first);
  expect(late).toMatchObject({ code: 1, json: { error: { code: 'STALE_INTERRUPT' } } });
  await run(['submit', 'A-1', '--as', 'alice', '--interrupt', second.interruptId, '--file', '-'], {
    input: 'done, with a title',
  });
  const passed = await verdict('--verdict', 'PASS');
  expect(passed.json.work.status).toBe('MERGE_READY');
  expect(passed.json.work.artifactSha256).not.toBe(artifact);

  const { wait, artifactSha256 } = passed.json.work;
  const how = ['--outcome', 'merged', '--external-id', 'M-1', '--evidence', 'log:1'];
  const done = await run([
    'complete',
    'A-1',
    '--interrupt',
    wait.interruptId,
    '--artifact',
    artifactSha256,
    ...how,
  ]);
  expect(done.json.work.status).toBe('DONE');
  const receipts = (await run(['receipts', 'A-1'])).json as { outcome: string; action: string }[];
  expect(receipts.filter((receipt) => receipt.outcome === 'accepted').map(({ action }) => action)).toEqual([
    'register',
    'promote',
    'claim',
    'result',
    'review',
    'claim',
    'result',
    'review',
    'complete',
  ]);
  const history = (await run(['history', 'A-1'])).json as { seq: number }[];
  expect(history.map(({ seq }) => seq)).toEqual(history.map((_, index) => index + 1));
  expect(await run(['verify'])).toMatchObject({ code: 0, json: { clean: true } });
});

it('works are parked, taken up again and cancelled', { timeout: 180_000 }, async () => {
  const { run } = folder;
  await run(['register', '--work-id', 'P-1', '--input', '{}']);
  await run(['register', '--work-id', 'P-2', '--input', '{}']);
  expect((await run(['promote', '--all', '--reason', 'ours'])).json.promoted).toEqual(['P-1', 'P-2']);
  for (const [verb, status] of [
    ['hold', 'HOLD'],
    ['resume', 'READY'],
    ['block', 'BLOCKED'],
    ['unblock', 'READY'],
    ['cancel', 'CANCELLED'],
  ] as const)
    expect((await run([verb, 'P-1', '--reason', 'so it is'])).json.work.status).toBe(status);
  const ready = await run(['list', '--status', 'READY', '--status', 'HOLD']);
  expect(ready.json).toMatchObject({ total: 1, items: [{ workId: 'P-2' }] });
});

it('people read tables, and a note of what to do next', { timeout: 180_000 }, async () => {
  const plain = (args: string[]) => signalbox([...args, '--data', folder.path]);
  const listed = await plain(['list', '--q', 'P-2']);
  expect(listed.stdout).toMatch(/^work\s+status\s+kind/);
  expect(listed.stdout).toContain('1 of 1');
  const claimed = await plain(['claim', 'P-2']);
  expect(claimed.stdout).toMatch(/lease until\s+\d{4}-/);
  expect(claimed.stderr).toContain('next: signalbox submit P-2 --interrupt');
});
