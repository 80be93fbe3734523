import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deliverDue } from '../../src/delivery/deliver.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';

// The real LangGraph server, with an AI that waits on its thread for people.
const START_ms = 120_000;
let folder: string;
let child: ChildProcess;
let client: Client;
let desk: TestDesk;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-origin-'));
  for (const name of ['test', 'node_modules', 'package.json', 'tsconfig.json'])
    await symlink(resolve(name), join(folder, name));
  const graphs = { ordering: './test/basket/origin-graph.ts:graph' };
  await writeFile(join(folder, 'langgraph.json'), JSON.stringify({ node_version: '20', graphs }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const cli = resolve('node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs');
  const config = join(folder, 'langgraph.json');
  child = spawn(
    process.execPath,
    [
      cli,
      'dev',
      '--no-browser',
      '--no-reload',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--config',
      config,
    ],
    {
      cwd: folder,
      detached: true,
      stdio: 'ignore',
      env: {
        ...process.env,
        LANGGRAPH_CLI_NO_ANALYTICS: '1',
        LANGSMITH_TRACING: 'false',
        ORDERS_FILE: join(folder, 'orders'),
      },
    },
  );
  client = new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });
  desk = await deskWithPeople({
    cases: { origins: { ordering: { type: 'langgraph', url, assistant: 'ordering' } } },
  });
  await vi.waitFor(() => client.assistants.search(), { timeout: START_ms, interval: 250 });
}, START_ms + 10_000);

afterAll(async () => {
  // The server starts a process of its own; the group of the one that was started here is ended with it.
  const gone = once(child, 'exit');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await gone;
  await desk.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

async function waitingThread(order: string) {
  const thread = await client.threads.create();
  await client.runs.wait(thread.thread_id, 'ordering', { input: { order } });
  const { tasks } = await client.threads.getState(thread.thread_id);
  return { threadId: thread.thread_id, interruptId: tasks[0]?.interrupts[0]?.id ?? '' };
}

async function decidedFor(order: string, thread: { threadId: string; interruptId: string }) {
  const origin = { system: 'ordering', runId: order, ...thread };
  const { work } = await desk.box.as('ai').recordException(exception(order, { origin }));
  const { decisionId } = await claimAndDecide(desk.box, 'ann', work.workId);
  return { workId: work.workId, decisionId };
}

const orders = async (): Promise<string> => await readFile(join(folder, 'orders'), 'utf8').catch(() => '');

describe('a LangGraph thread that waits for a decision', () => {
  it('is resumed with it, by its interrupt, and orders once', { timeout: 90_000 }, async () => {
    const thread = await waitingThread('paper');
    const { workId, decisionId } = await decidedFor('paper', thread);
    expect(await deliverDue(desk.box.desk)).toBe(1);
    expect(await desk.box.as('op').show(workId)).toMatchObject({ status: 'DONE', externalId: decisionId });
    await vi.waitFor(async () => expect(await orders()).toBe(`paper ${decisionId}\n`), { timeout: 20_000 });
    expect(await deliverDue(desk.box.desk)).toBe(0);
  });

  it(
    'that took it before a crash is asked first, and not resumed a second time',
    { timeout: 90_000 },
    async () => {
      const thread = await waitingThread('ink');
      const { workId, decisionId } = await decidedFor('ink', thread);
      const { takeDue } = await import('../../src/operations/cases/outbox.js');
      const [delivery] = await takeDue(desk.box.desk);
      // What the try did before its process died: the thread has the decision, the desk does not know.
      await client.runs.wait(thread.threadId, 'ordering', {
        command: { resume: { [thread.interruptId]: delivery?.payload } },
      });
      desk.clock.now_ms += 10 * 60_000;
      await deliverDue(desk.box.desk);
      expect((await desk.box.as('op').show(workId)).status).toBe('DONE');
      const lines = (await orders()).split('\n').filter((line) => line.startsWith('ink'));
      expect(lines).toEqual([`ink ${decisionId}`]);
    },
  );

  it(
    'that was answered by somebody else is not resumed, and the decision is a dead letter',
    { timeout: 90_000 },
    async () => {
      const thread = await waitingThread('pens');
      const { workId } = await decidedFor('pens', thread);
      await client.runs.wait(thread.threadId, 'ordering', {
        command: { resume: { [thread.interruptId]: { decisionId: 'of somebody else' } } },
      });
      await deliverDue(desk.box.desk);
      expect((await desk.box.as('op').show(workId)).status).toBe('MERGE_READY');
      expect(await desk.box.as('op').deadLetters()).toMatchObject({
        total: 1,
        items: [{ workId, reason: expect.stringContaining('answered elsewhere') as string }],
      });
    },
  );
});
