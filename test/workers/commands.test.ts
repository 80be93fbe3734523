import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deskBox, ready, type DeskBox } from '../support/desk-box.js';
import { logOf, textOf, workOnce } from './working.js';

let desk: DeskBox;
let outside: string;

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'signalbox-outside-'));
  desk = await deskBox();
});
afterEach(async () => {
  await desk.close();
  await rm(outside, { recursive: true, force: true });
});

const ann = () => desk.as('ann');

it('a command reads its claim from stdin and from files, and what it writes becomes the artifact', async () => {
  await ready(desk, 'sum', { numbers: [1, 2, 3] });
  const command = [
    'cat > "$SIGNALBOX_FOLDER/stdin.json"',
    'cmp "$SIGNALBOX_FOLDER/stdin.json" "$SIGNALBOX_CLAIM" >/dev/null; test -s "$SIGNALBOX_CLAIM" || exit 9',
    `node -e 'const fs = require("fs"); const e = process.env;
      const claim = JSON.parse(fs.readFileSync(e.SIGNALBOX_FOLDER + "/stdin.json", "utf8"));
      const input = JSON.parse(fs.readFileSync(e.SIGNALBOX_INPUT, "utf8"));
      if (claim.workId !== e.SIGNALBOX_WORK_ID || process.cwd() !== fs.realpathSync(e.SIGNALBOX_FOLDER)) process.exit(8);
      fs.writeFileSync(e.SIGNALBOX_OUTPUT + ".json", JSON.stringify({ sum: input.numbers.reduce((a, b) => a + b) }));'`,
    'echo "progress 3/3 added up"; echo "item one"; echo "just a word"',
  ].join('\n');
  const { count, events } = await workOnce(ann(), command);
  expect(count).toEqual({ done: 1, failed: 0, nothing: 0 });
  const work = await desk.owner.show('sum');
  expect(work).toMatchObject({ status: 'VP_REVIEW', author: 'ann' });
  const artifact = await desk.owner.getArtifact(work.artifactSha256 ?? '');
  expect(artifact.mediaType).toBe('application/json');
  expect(await textOf(desk.owner, artifact.sha256)).toBe('{"sum":6}');
  const result = (await desk.owner.receipts('sum')).find((receipt) => receipt.action === 'result');
  expect(result?.submission).toMatchObject({ items: ['one'] });
  const log = await logOf(desk.owner, String(result?.submission?.['notes']));
  expect(log).toContain('just a word');
  expect(log).toContain('[exit code 0]');
  expect(events).toContainEqual({
    event: 'progress',
    workId: 'sum',
    progress: { done: 3, total: 3, note: 'added up' },
  });
  const renewed = (await desk.owner.history('sum')).filter((event) => event.type === 'lease.renewed');
  expect(renewed.at(-1)?.data).toMatchObject({ progress: { done: 3, total: 3 }, moved: true });
});

it('a command that fails gives its work back with the reason, its log, and what it had written', async () => {
  await ready(desk, 'fails');
  const { count, events } = await workOnce(
    ann(),
    'echo half > "$SIGNALBOX_OUTPUT"; echo "no such invoice" >&2; exit 3',
  );
  expect(count).toEqual({ done: 0, failed: 1, nothing: 0 });
  expect(events.at(-1)).toMatchObject({ event: 'released', workId: 'fails', status: 'READY' });
  const [handoff] = await desk.owner.handoffs('fails');
  expect(handoff).toMatchObject({ from: 'ann', cause: 'release' });
  expect(handoff?.reason).toMatch(/exit code 3.*no such invoice/);
  expect(await logOf(desk.owner, handoff?.note)).toContain('no such invoice');
  expect(await textOf(desk.owner, String(handoff?.partials[0]))).toBe('half\n');
});

it('a command that ends well without a result gives its work back too', async () => {
  await ready(desk, 'empty');
  await workOnce(ann(), 'echo thought about it');
  const [handoff] = await desk.owner.handoffs('empty');
  expect(handoff?.reason).toContain('no file to SIGNALBOX_OUTPUT');
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function gone(pid: number): Promise<boolean> {
  for (let look = 0; look < 100 && isAlive(pid); look += 1) await sleep(50);
  return !isAlive(pid);
}

it('a command over its time limit is ended with everything it started', async () => {
  await ready(desk, 'hangs');
  const file = join(outside, 'pid-limit');
  const { events } = await workOnce(ann(), `sleep 600 & echo $! > ${file}; wait`, { timeLimit_ms: 700 });
  expect(events.at(-1)).toMatchObject({ event: 'released', status: 'READY' });
  expect((await desk.owner.handoffs('hangs'))[0]?.reason).toContain('time limit of 1 s');
  expect(await gone(Number(readFileSync(file, 'utf8')))).toBe(true);
});

it('a worker that is to stop ends its command and gives the work back', async () => {
  await ready(desk, 'stopped');
  const stop = new AbortController();
  const { events } = await workOnce(ann(), 'echo "progress 1/9"; exec sleep 600', {
    signal: stop.signal,
    onEvent: (event) => {
      if (event.event === 'progress') stop.abort();
    },
  });
  expect(events.at(-1)).toMatchObject({ event: 'released', status: 'READY' });
  expect((await desk.owner.handoffs('stopped'))[0]).toMatchObject({ from: 'ann' });
  expect((await desk.owner.handoffs('stopped'))[0]?.reason).toContain('the worker was stopped');
});

it('a work that is corrected meanwhile is dropped at the next renewal, and nothing is submitted', async () => {
  await ready(desk, 'corrected', { total: 1 });
  const flag = join(outside, 'corrected');
  const running = workOnce(
    ann(),
    `touch ${flag}; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; echo "progress $i"; done`,
  );
  for (let look = 0; look < 200 && !existsSync(flag); look += 1) await sleep(50);
  await desk.owner.register({ workId: 'corrected', input: { total: 2 }, correction: { reason: 'typo' } });
  const { count, events } = await running;
  expect(count.failed).toBe(1);
  expect(events.at(-1)).toMatchObject({
    event: 'refused',
    doing: 'renew',
    code: expect.stringMatching(/INPUT_CHANGED|STALE_INTERRUPT|NOT_HOLDER/),
  });
  const receipts = await desk.owner.receipts('corrected');
  expect(receipts.some((receipt) => ['result', 'release'].includes(receipt.action))).toBe(false);
});

it('a result that comes too late is reported, kept as reference, and not sent again', async () => {
  await ready(desk, 'late');
  const flag = join(outside, 'late');
  const running = workOnce(
    ann(),
    `touch ${flag}; while [ -e ${flag} ]; do sleep 0.1; done; echo late > "$SIGNALBOX_OUTPUT"`,
  );
  for (let look = 0; look < 200 && !existsSync(flag); look += 1) await sleep(50);
  const { wait } = await desk.owner.show('late');
  await desk.owner.handoff('late', { interruptId: wait?.interruptId, reason: 'to bob', to: 'bob' });
  await rm(flag);
  const { events } = await running;
  expect(events.filter((event) => event.event === 'refused')).toMatchObject([
    { doing: 'submit', code: 'STALE_INTERRUPT' },
  ]);
  const references = (await desk.owner.receipts('late')).filter((receipt) => receipt.outcome === 'reference');
  expect(references).toHaveLength(1);
});

it('a token or data folder of the worker is not handed on to its command', async () => {
  await ready(desk, 'secrets');
  process.env['SIGNALBOX_TOKEN'] = 'secret';
  try {
    await workOnce(ann(), 'env | grep -c "^SIGNALBOX_TOKEN" > "$SIGNALBOX_OUTPUT"; true');
  } finally {
    delete process.env['SIGNALBOX_TOKEN'];
  }
  const { artifactSha256 } = await desk.owner.show('secrets');
  expect(await textOf(desk.owner, artifactSha256 ?? '')).toBe('0\n');
});

it('a worker that finds nothing says so and changes nothing', async () => {
  expect(await workOnce(ann(), 'exit 1')).toEqual({ count: { done: 0, failed: 0, nothing: 1 }, events: [] });
});

it.each(['echo "head-sha $SHA"', 'echo "$SHA" > "$SIGNALBOX_FOLDER/head-sha"'])(
  'for code the commit comes with the result: %s',
  async (say) => {
    const headSha = 'c0ffee'.repeat(7).slice(0, 40);
    const input = { repository: 'r', issueNumber: 7 };
    const { work } = await desk.owner.register({ kind: 'code-change', input });
    await desk.owner.promote(work.workId, { reason: 'go' });
    await workOnce(ann(), `SHA=${headSha}; ${say}; echo changed > "$SIGNALBOX_OUTPUT"`);
    const result = (await desk.owner.receipts(work.workId)).find(({ action }) => action === 'result');
    expect(result).toMatchObject({ outcome: 'accepted', headSha });
  },
);
