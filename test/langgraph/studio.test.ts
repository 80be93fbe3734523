import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devServer, type DevServer } from './dev-server.js';

const GRAPH = 'signalbox';
type Json = Record<string, unknown>;
interface Shown {
  readonly status: string;
  readonly exampleAnswers: Record<string, { readonly waitId: string; readonly answer: Json }>;
}

let server: DevServer;
beforeAll(async () => {
  server = await devServer();
}, 120_000);
afterAll(async () => await server.close());

/** Where a thread of the dev server stands. */
async function standing(threadId: string) {
  const [thread, state] = await Promise.all([
    server.client.threads.get(threadId),
    server.client.threads.getState<{ work?: { status: string } }>(threadId),
  ]);
  const pending = state.tasks.flatMap((task) => task.interrupts)[0];
  return {
    threadStatus: thread.status,
    status: state.values.work?.status,
    interruptId: pending?.id ?? '',
    shown: pending?.value as Shown,
    checkpointId: state.checkpoint.checkpoint_id ?? '',
  };
}

async function answer(threadId: string, action: string, more: Json = {}) {
  const { shown } = await standing(threadId);
  const example = shown.exampleAnswers[action];
  if (!example) throw new Error(`no example for ${action} in ${shown.status}`);
  const resume = { ...example, answer: { ...example.answer, ...more } };
  await server.client.runs.wait(threadId, GRAPH, { command: { resume } });
  return resume;
}

let works = 0;
/** A work of its own thread, led on by the given answers. */
async function work(...actions: readonly string[]): Promise<string> {
  works += 1;
  const { thread_id: threadId } = await server.client.threads.create({ graphId: GRAPH });
  await server.client.runs.wait(threadId, GRAPH, {
    input: { request: { kind: 'generic', workId: `W-${works}`, input: { n: works } } },
  });
  for (const action of actions) await answer(threadId, action);
  return threadId;
}

/** A call must be refused with this code, and the thread must wait as it did. */
async function expectRefused(threadId: string, code: string, call: () => Promise<unknown>): Promise<void> {
  const before = await standing(threadId);
  const runs = await server.client.runs.list(threadId);
  const error = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ status: 409 });
  expect(String(error)).toContain(`"code":"${code}"`);
  expect(await standing(threadId)).toEqual(before);
  expect(before.threadStatus).toBe('interrupted');
  expect(await server.client.runs.list(threadId), 'no run was created').toEqual(runs);
}

const resumeWith = (threadId: string, resume: unknown, more: Json = {}) =>
  server.client.runs.create(threadId, GRAPH, { command: { resume }, ...more });

describe('langgraphjs dev with the project’s langgraph.json', { timeout: 60_000 }, () => {
  it('opens the graph, shows the form of its input, and steps from a request to DONE by the examples alone', async () => {
    const [assistant] = await server.client.assistants.search({ graphId: GRAPH });
    const schemas = await server.client.assistants.getSchemas(assistant?.assistant_id ?? '');
    expect(schemas.input_schema).toMatchObject({ properties: { request: { properties: { workId: {} } } } });
    const threadId = await work('promote', 'claim', 'result', 'review', 'complete');
    expect(await standing(threadId)).toMatchObject({ threadStatus: 'idle', status: 'DONE', interruptId: '' });
  });

  it('refuses a stale interrupt ID', async () => {
    const threadId = await work();
    const old = await standing(threadId);
    await answer(threadId, 'promote');
    const { shown } = await standing(threadId);
    const resume = { [old.interruptId]: shown.exampleAnswers['claim'] };
    await expectRefused(threadId, 'STALE_INTERRUPT', () => resumeWith(threadId, resume));
  });

  it('refuses a bare value', async () => {
    const threadId = await work('promote');
    for (const bare of ['approve', true, { action: 'claim' }, { decision: 'approve' }])
      await expectRefused(threadId, 'STALE_INTERRUPT', () => resumeWith(threadId, bare));
  });

  it('refuses a duplicate of an answer that was taken', async () => {
    const threadId = await work();
    const first = await answer(threadId, 'promote');
    await expectRefused(threadId, 'ALREADY_DECIDED', () => resumeWith(threadId, first));
  });

  it('refuses an old checkpoint', async () => {
    const threadId = await work('promote');
    const old = await standing(threadId);
    await answer(threadId, 'claim');
    const resume = (await standing(threadId)).shown.exampleAnswers['result'];
    for (const more of [
      { checkpointId: old.checkpointId },
      { checkpoint: { checkpoint_id: old.checkpointId, checkpoint_ns: '' } },
      { config: { configurable: { checkpoint_id: old.checkpointId } } },
    ])
      await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () => resumeWith(threadId, resume, more));
  });

  it('refuses plain input to a waiting thread', async () => {
    const threadId = await work('promote');
    const input = { request: { kind: 'generic', workId: 'W-1', input: {} } };
    await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () =>
      server.client.runs.wait(threadId, GRAPH, { input }),
    );
  });

  it('refuses updateState, a jump and a copy', async () => {
    const threadId = await work('promote');
    const { client } = server;
    const values = { work: { status: 'DONE' } };
    await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () =>
      client.threads.updateState(threadId, { values }),
    );
    await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () =>
      client.runs.create(threadId, GRAPH, { command: { goto: 'MERGE_READY' } }),
    );
    await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () => client.threads.copy(threadId));
  });

  it('refuses to delete a thread whose work is not done, and lets a cancelled one go', async () => {
    const threadId = await work('promote');
    await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () => server.client.threads.delete(threadId));
    await answer(threadId, 'cancel');
    await server.client.threads.delete(threadId);
    await expect(server.client.threads.get(threadId)).rejects.toMatchObject({ status: 404 });
  });

  it('refuses answers keyed by unknown 32-hex IDs, alone or beside the right one', async () => {
    const threadId = await work('promote');
    const { shown, interruptId } = await standing(threadId);
    const claim = shown.exampleAnswers['claim'];
    const unknown = 'ab'.repeat(16);
    await expectRefused(threadId, 'STALE_INTERRUPT', () => resumeWith(threadId, { [unknown]: claim }));
    await expectRefused(threadId, 'STALE_INTERRUPT', () =>
      resumeWith(threadId, { [interruptId]: claim, [unknown]: claim }),
    );
    await resumeWith(threadId, { [interruptId]: claim });
  });

  it('refuses another’s result, a wrong input version and a verdict on another artifact, each by its code', async () => {
    const threadId = await work('promote', 'claim');
    const { shown } = await standing(threadId);
    const result = shown.exampleAnswers['result'];
    const mallory = { principal: 'mallory', actor: 'mallory' };
    await expectRefused(threadId, 'NOT_HOLDER', () =>
      resumeWith(threadId, { ...result, answer: { ...result?.answer, by: mallory } }),
    );
    await expectRefused(threadId, 'INPUT_CHANGED', () =>
      resumeWith(threadId, { ...result, inputVersion: 9 }),
    );
    await answer(threadId, 'result');
    const review = (await standing(threadId)).shown.exampleAnswers['review'];
    await expectRefused(threadId, 'ARTIFACT_MISMATCH', () =>
      resumeWith(threadId, { ...review, artifactSha256: 'f'.repeat(64) }),
    );
  });

  it('refuses the same things through the thread protocol’s commands', async () => {
    const threadId = await work('promote');
    const { shown, interruptId } = await standing(threadId);
    let id = 0;
    const command = async (method: string, params: Json) => {
      const response = await fetch(`${server.url}/threads/${threadId}/commands`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: (id += 1), method, params: { assistant_id: GRAPH, ...params } }),
      });
      if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
    };
    await expectRefused(threadId, 'STALE_INTERRUPT', () => command('run.start', { input: 'approve' }));
    await expectRefused(threadId, 'STALE_INTERRUPT', () =>
      command('input.respond', { interrupt_id: 'ab'.repeat(16), response: shown.exampleAnswers['claim'] }),
    );
    await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () =>
      command('input.respond', {
        interrupt_id: interruptId,
        response: shown.exampleAnswers['claim'],
        goto: 'MERGE_READY',
      }),
    );
  });

  it('opens no web socket, whose frames it could not check', async () => {
    const threadId = await work();
    const asking = request(`${server.url}/threads/${threadId}/stream/events`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    });
    const outcome = new Promise<string>((resolve) => {
      asking.once('upgrade', () => resolve('upgraded'));
      asking.once('response', ({ statusCode }) => resolve(`answered ${statusCode}`));
      asking.once('error', () => resolve('closed'));
      asking.once('close', () => resolve('closed'));
    });
    asking.end();
    expect(await outcome).toMatch(/^(?:answered 4|closed)/);
    asking.destroy();
  });

  it('takes one of two right answers that arrive together, and the other is told so', async () => {
    const threadId = await work('promote');
    const { shown } = await standing(threadId);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 2 }, () => resumeWith(threadId, shown.exampleAnswers['claim'])),
    );
    expect(outcomes.map((each) => each.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const lost = outcomes.find((each) => each.status === 'rejected');
    expect(String(lost?.reason)).toContain('ALREADY_DECIDED');
  });
});
