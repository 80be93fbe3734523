import { FakeListChatModel } from '@langchain/core/utils/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSampleInvoices } from '../../src/kinds/samples.js';
import { loadModel } from '../../src/workers/load-model.js';
import { modelTask } from '../../src/workers/model-task.js';
import { dataFolder } from '../cli/command.js';
import { deskBox, ready, type DeskBox } from '../support/desk-box.js';
import { logOf, textOf, workOnce } from './working.js';

let desk: DeskBox;
let outside: string;
beforeEach(async () => {
  desk = await deskBox();
  outside = await mkdtemp(join(tmpdir(), 'signalbox-model-'));
});
afterEach(async () => {
  await desk.close();
  await rm(outside, { recursive: true, force: true });
});

async function invoice(): Promise<string> {
  const [sample] = await loadSampleInvoices();
  const { work } = await desk.owner.register({ kind: 'invoice-check', input: sample?.input });
  await desk.owner.promote(work.workId, { reason: 'go' });
  return work.workId;
}

const work = async (responses: string[]) => {
  const model = new FakeListChatModel({ responses });
  return await workOnce(desk.as('ann'), modelTask({ model, kinds: await desk.owner.kinds() }));
};

const REPORT = '{"decision":"ok","checkedTotal":1,"discrepancies":[]}';

it('a chat model does a work: its JSON, out of its code fence, is the artifact', async () => {
  const workId = await invoice();
  expect((await work(['Here it is:\n```json\n' + REPORT + '\n```\n'])).count.done).toBe(1);
  const shown = await desk.owner.show(workId);
  expect(shown.status).toBe('VP_REVIEW');
  const artifact = await desk.owner.getArtifact(shown.artifactSha256 ?? '');
  expect([artifact.mediaType, await textOf(desk.owner, artifact.sha256)]).toEqual([
    'application/json',
    REPORT,
  ]);
  const result = (await desk.owner.receipts(workId)).find((receipt) => receipt.action === 'result');
  const log = await logOf(desk.owner, String(result?.submission?.['notes']));
  expect(log).toContain('Check an invoice against its own lines');
});

it('a model that answers with no JSON is told so, and may answer again', async () => {
  const workId = await invoice();
  expect((await work(['I think it is fine.', REPORT])).count.done).toBe(1);
  expect((await desk.owner.show(workId)).status).toBe('VP_REVIEW');
});

it('a model that never answers with JSON gives the work back with the reason', async () => {
  const workId = await invoice();
  const { count, events } = await work(['no', 'never', 'not ever']);
  expect(count.failed).toBe(1);
  expect(events.at(-1)).toMatchObject({ event: 'released', status: 'READY' });
  expect((await desk.owner.handoffs(workId))[0]?.reason).toContain('the answer is not JSON');
});

it('a model that breaks gives the work back with what it said', async () => {
  await ready(desk, 'breaks');
  const model = { invoke: () => Promise.reject(new Error('quota is used up')) };
  const { events } = await workOnce(desk.as('ann'), modelTask({ model, kinds: await desk.owner.kinds() }));
  expect(events.at(-1)).toMatchObject({
    event: 'released',
    reason: expect.stringContaining('quota is used up'),
  });
});

it('where a kind wants no JSON, the text is the result', async () => {
  await ready(desk, 'text', { question: 'why?' });
  await work(['  Because.  ']);
  const { artifactSha256 } = await desk.owner.show('text');
  const artifact = await desk.owner.getArtifact(artifactSha256 ?? '');
  expect([artifact.mediaType, await textOf(desk.owner, artifact.sha256)]).toEqual(['text/plain', 'Because.']);
});

const MODULE = `import { FakeListChatModel } from '@langchain/core/utils/testing';
export default () => new FakeListChatModel({ responses: ['from a module'] });\n`;

it('the command line takes a model from the user’s own module', { timeout: 60_000 }, async () => {
  const folder = await dataFolder();
  // Beside this test, because that is where the module finds @langchain/core.
  const file = resolve('node_modules', `.signalbox-test-model-${process.pid}.mjs`);
  await writeFile(file, MODULE);
  await folder.run(['register', '--work-id', 'M-1', '--input', '{}']);
  await folder.run(['promote', 'M-1', '--reason', 'go']);
  const ran = await folder.run(['worker', '--model-module', file, '--once']);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(
    ran.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event),
  ).toEqual(expect.arrayContaining(['claimed', 'submitted']));
  expect((await folder.run(['show', 'M-1'])).json.status).toBe('VP_REVIEW');
  await rm(file);
  await folder.remove();
});

it('a module that gives no model is refused with what it must export', async () => {
  const file = join(outside, 'wrong.mjs');
  await writeFile(file, 'export default 7;\n');
  await expect(loadModel(file)).rejects.toThrow(/must export a chat model/);
  await expect(loadModel(join(outside, 'none.mjs'))).rejects.toThrow(/cannot be loaded/);
});
