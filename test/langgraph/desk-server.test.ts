import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountLangGraph } from '../../src/surfaces/langgraph/mount.js';
import { serving, type Serving } from '../http/serving.js';
import { testDatabase } from '../support/postgres.js';

const GRAPH = 'signalbox';
type Json = Record<string, unknown>;
interface Work {
  readonly work?: { readonly status: string; readonly step: number };
}

let served: Serving;
const roles: Record<string, readonly string[]> = {
  ann: ['worker'],
  bob: ['worker'],
  rita: ['reviewer'],
  otto: ['operator'],
};

let database: Awaited<ReturnType<typeof testDatabase>> | undefined;

beforeAll(async () => {
  database = process.env['SIGNALBOX_TEST_BACK_END'] === 'postgres' ? await testDatabase() : undefined;
  const place = database ? { databaseUrl: database.url } : {};
  served = await serving(place, { mounts: [mountLangGraph] });
  for (const [name, granted] of Object.entries(roles)) await served.tokenOf(name, granted);
});
afterAll(async () => {
  await served.close();
  await database?.drop();
});

function clientOf(token: string): Client {
  return new Client({
    apiUrl: `${served.url}/langgraph`,
    apiKey: token,
    callerOptions: { maxRetries: 0 },
  });
}
const as = async (name: string): Promise<Client> => clientOf(await served.tokenOf(name, roles[name]));

let works = 0;
/** A registered and promoted work; gives its IDs. */
async function ready(): Promise<{ workId: string; threadId: string }> {
  works += 1;
  const workId = `LG-${works}`;
  const owner = served.box.as('owner');
  await owner.register({ workId, input: { n: works } });
  const { work } = await owner.promote(workId, { reason: 'go' });
  return { workId, threadId: work.threadId };
}

/** Where a thread stands, as a client reads it. */
async function standing(threadId: string, client?: Client) {
  const reader = client ?? clientOf(served.ownerToken);
  const [thread, state] = await Promise.all([
    reader.threads.get(threadId),
    reader.threads.getState<Work>(threadId),
  ]);
  const pending = state.tasks.flatMap((task) => task.interrupts)[0];
  return {
    threadStatus: thread.status,
    status: state.values.work?.status,
    interruptId: pending?.id ?? '',
    shown: (pending?.value ?? {}) as { waitId: string; inputVersion: number; artifactSha256: string | null },
    checkpointId: state.checkpoint.checkpoint_id ?? '',
  };
}

/** The envelope that a wait asks for, with an answer in it. */
async function envelope(threadId: string, given: Json): Promise<Json> {
  const { waitId, inputVersion, artifactSha256 } = (await standing(threadId)).shown;
  return { waitId, inputVersion, artifactSha256, answer: given };
}

async function answer(name: string, threadId: string, given: Json): Promise<Json> {
  const resume = { [(await standing(threadId)).interruptId]: { answer: given } };
  return (await (await as(name)).runs.wait(threadId, GRAPH, { command: { resume } })) as Json;
}

const artifact = async (content: string): Promise<{ sha256: string }> => {
  const { sha256 } = await served.box.as('ann').putArtifact(content, 'application/json');
  return { sha256 };
};

/** A call must be refused with this status and code, move nothing, and leave the thread waiting. */
async function expectRefused(
  threadId: string,
  code: string,
  call: () => Promise<unknown>,
  status = 409,
): Promise<void> {
  const owner = clientOf(served.ownerToken);
  const before = [await standing(threadId), await owner.runs.list(threadId)];
  const error = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ status });
  expect(String(error)).toContain(`"code":"${code}"`);
  expect([await standing(threadId), await owner.runs.list(threadId)]).toEqual(before);
}

describe('the LangGraph API of the desk, by the SDK', () => {
  it('takes a work through its whole life, every answer as its sender and on record', async () => {
    works += 1;
    const workId = `LG-${works}`;
    const { work } = await served.box.as('owner').register({ workId, input: { n: 1 } });
    const { threadId } = work;
    await answer('otto', threadId, { action: 'promote', reason: 'go' });
    const claimed = await answer('ann', threadId, { action: 'claim', by: { principal: 'x', actor: 'x' } });
    expect(claimed).toMatchObject({ work: { status: 'IN_PROGRESS', holder: { principal: 'ann' } } });
    await answer('ann', threadId, {
      action: 'result',
      inputVersion: 1,
      artifact: await artifact('{"a":1}'),
    });
    const { shown } = await standing(threadId);
    expect(shown).toMatchObject({ status: 'VP_REVIEW', actions: ['review', 'hold', 'block', 'correct'] });
    await answer('rita', threadId, {
      action: 'review',
      artifactSha256: shown.artifactSha256,
      verdict: 'REWORK',
      evidenceRef: 'log:1',
      findings: ['once more'],
    });
    await answer('bob', threadId, { action: 'claim' });
    await answer('bob', threadId, {
      action: 'result',
      inputVersion: 1,
      artifact: await artifact('{"a":2}'),
    });
    const second = (await standing(threadId)).shown.artifactSha256;
    await answer('rita', threadId, {
      action: 'review',
      artifactSha256: second,
      verdict: 'PASS',
      evidenceRef: 'log:2',
    });
    const done = await answer('bob', threadId, {
      action: 'complete',
      artifactSha256: second,
      outcome: 'merged',
      externalId: 'ext-1',
      evidenceRef: 'log:3',
    });
    expect(done).toMatchObject({ work: { status: 'DONE', round: 2 } });
    expect(done).not.toHaveProperty('__interrupt__');
    const { threadStatus } = await standing(threadId);
    expect(threadStatus).toBe('idle');
    const receipts = await served.box.as('owner').receipts(workId);
    expect(receipts.map(({ principal, action }) => `${principal} ${action}`)).toEqual([
      'owner register',
      'otto promote',
      'ann claim',
      'ann result',
      'rita review',
      'bob claim',
      'bob result',
      'rita review',
      'bob complete',
    ]);
  });

  it('answers runs.create, runs.wait and runs.stream with the run that the receipt is', async () => {
    const { workId, threadId } = await ready();
    const ann = await as('ann');
    const resume = await envelope(threadId, { action: 'claim' });
    const run = await ann.runs.create(threadId, GRAPH, { command: { resume } });
    expect(run).toMatchObject({ status: 'success', thread_id: threadId });
    expect(await ann.runs.get(threadId, run.run_id)).toMatchObject({ run_id: run.run_id });
    expect(await ann.runs.join(threadId, run.run_id)).toMatchObject({ work: { status: 'IN_PROGRESS' } });
    const result = await envelope(threadId, { action: 'result', artifact: await artifact('{"s":1}') });
    const parts: { event: string; data: unknown }[] = [];
    for await (const part of ann.runs.stream(threadId, GRAPH, {
      command: { resume: result },
      streamMode: ['values', 'updates'],
    }))
      parts.push(part);
    expect(parts.map((part) => part.event)).toEqual(['metadata', 'updates', 'updates', 'values']);
    expect(parts.at(-1)?.data).toMatchObject({
      work: { status: 'VP_REVIEW' },
      __interrupt__: [{ value: { status: 'VP_REVIEW' } }],
    });
    const [last] = (await served.box.as('owner').receipts(workId)).slice(-1);
    expect(parts[0]?.data).toMatchObject({ run_id: last?.receiptId });
  });

  it('reaches the other verbs that answer a wait in the same way: a release, a handoff, a pause', async () => {
    const { threadId } = await ready();
    await answer('ann', threadId, { action: 'claim' });
    await answer('ann', threadId, { action: 'release', reason: 'not mine' });
    expect(await standing(threadId)).toMatchObject({ status: 'READY' });
    await answer('ann', threadId, { action: 'claim' });
    const handed = await answer('ann', threadId, { action: 'handoff', reason: 'expertise', to: 'bob' });
    expect(handed).toMatchObject({ work: { status: 'IN_PROGRESS', holder: { principal: 'bob' } } });
    await answer('otto', threadId, { action: 'hold', reason: 'wait' });
    await answer('otto', threadId, { action: 'resume', reason: 'go on' });
    expect(await standing(threadId)).toMatchObject({ status: 'IN_PROGRESS', threadStatus: 'interrupted' });
  });

  it('gives history newest first, a state by its checkpoint, and threads by search', async () => {
    const { workId, threadId } = await ready();
    const ann = await as('ann');
    await answer('ann', threadId, { action: 'claim' });
    const history = await ann.threads.getHistory<Work>(threadId);
    expect(history.map((state) => state.values.work?.status)).toEqual(['IN_PROGRESS', 'READY', 'DISCOVERED']);
    const older = history[1]?.checkpoint.checkpoint_id ?? '';
    expect(await ann.threads.getState(threadId, older)).toMatchObject({
      values: { work: { status: 'READY' } },
    });
    const rest = await ann.threads.getHistory<Work>(threadId, {
      before: { configurable: { checkpoint_id: older } },
    });
    expect(rest.map((state) => state.values.work?.status)).toEqual(['DISCOVERED']);
    const found = await ann.threads.search({ metadata: { work_id: workId, graph_id: GRAPH } });
    expect(found).toMatchObject([
      { thread_id: threadId, status: 'interrupted', metadata: { graph_id: GRAPH } },
    ]);
    expect(await ann.threads.get(threadId)).toMatchObject({ metadata: { input: { n: works } } });
    expect(JSON.stringify(history)).not.toContain('signalbox_run');
  });

  it('refuses a stale interrupt ID, and keeps the refusal in history', async () => {
    const { workId, threadId } = await ready();
    const ann = await as('ann');
    const old = (await standing(threadId)).interruptId;
    await answer('ann', threadId, { action: 'claim' });
    const resume = {
      [old]: { answer: { action: 'result', inputVersion: 1, artifact: await artifact('1') } },
    };
    await expectRefused(threadId, 'STALE_INTERRUPT', () =>
      ann.runs.create(threadId, GRAPH, { command: { resume } }),
    );
    const last = (await served.box.as('owner').receipts(workId)).at(-1);
    expect(last).toMatchObject({ outcome: 'reference', code: 'STALE_INTERRUPT', principal: 'ann' });
  });

  it('refuses a bare value', async () => {
    const { threadId } = await ready();
    const ann = await as('ann');
    for (const resume of ['approve', true, 1, ['x'], { action: 'claim' }])
      await expectRefused(threadId, 'STALE_INTERRUPT', () =>
        ann.runs.wait(threadId, GRAPH, { command: { resume } }),
      );
  });

  it('refuses a duplicate, and names the receipt that won', async () => {
    const { threadId } = await ready();
    const { interruptId } = await standing(threadId);
    const otto = await as('otto');
    const resume = { [interruptId]: { answer: { action: 'hold', reason: 'wait' } } };
    const run = await otto.runs.create(threadId, GRAPH, { command: { resume } });
    await expectRefused(threadId, 'ALREADY_DECIDED', async () => {
      const again = otto.runs.create(threadId, GRAPH, { command: { resume } });
      await expect(again).rejects.toThrow(run.run_id);
      return await again;
    });
  });

  it('refuses an old checkpoint_id, and takes the newest one', async () => {
    const { threadId } = await ready();
    const ann = await as('ann');
    const old = (await standing(threadId)).checkpointId;
    await answer('ann', threadId, { action: 'claim' });
    const resume = await envelope(threadId, { action: 'result', artifact: await artifact('2') });
    const older: Json[] = [
      { checkpointId: old },
      { checkpoint: { checkpoint_id: old, checkpoint_ns: '' } },
      { config: { configurable: { checkpoint_id: old } } },
    ];
    for (const more of older)
      await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () =>
        ann.runs.create(threadId, GRAPH, { command: { resume }, ...more }),
      );
    const { checkpointId } = await standing(threadId);
    await ann.runs.create(threadId, GRAPH, { command: { resume }, checkpointId });
  });

  it('refuses plain input, a jump, an update beside the answer, and no answer at all', async () => {
    const { threadId } = await ready();
    const ann = await as('ann');
    const resume = await envelope(threadId, { action: 'claim' });
    for (const payload of [
      { input: { work: { status: 'DONE' } } },
      { command: { goto: 'MERGE_READY' } },
      { command: { resume, update: { work: {} } } },
      { input: { a: 1 }, command: { resume } },
      {},
    ])
      await expectRefused(threadId, 'ACTION_NOT_ALLOWED', () => ann.runs.wait(threadId, GRAPH, payload));
  });

  it('refuses updateState, deletion, copies, new threads, and the end of a run that stands', async () => {
    const { threadId } = await ready();
    const otto = await as('otto');
    const { threads, runs } = otto;
    const [run] = await runs.list(threadId);
    for (const call of [
      () => threads.updateState(threadId, { values: { work: { status: 'DONE' } } }),
      () => threads.delete(threadId),
      () => threads.copy(threadId),
      () => threads.create({ threadId }),
      () => threads.update(threadId, { metadata: { a: 1 } }),
      () => runs.cancel(threadId, run?.run_id ?? ''),
      () => runs.delete(threadId, run?.run_id ?? ''),
      () => runs.create(null, GRAPH, { input: {} }),
    ])
      await expectRefused(threadId, 'ACTION_NOT_ALLOWED', call);
  });

  it('refuses answers keyed by unknown 32-hex IDs, alone or beside the right one', async () => {
    const { threadId } = await ready();
    const ann = await as('ann');
    const { interruptId } = await standing(threadId);
    const claim = { answer: { action: 'claim' } };
    const unknown = 'ab'.repeat(16);
    for (const resume of [{ [unknown]: claim }, { [interruptId]: claim, [unknown]: claim }])
      await expectRefused(threadId, 'STALE_INTERRUPT', () =>
        ann.runs.create(threadId, GRAPH, { command: { resume } }),
      );
  });

  it('refuses an envelope that was made for another input, artifact or wait, whatever its key says', async () => {
    const { threadId } = await ready();
    const ann = await as('ann');
    const right = await envelope(threadId, { action: 'claim' });
    const { interruptId } = await standing(threadId);
    const wrong: [string, Json][] = [
      ['INPUT_CHANGED', { ...right, inputVersion: 2 }],
      ['ARTIFACT_MISMATCH', { ...right, artifactSha256: 'f'.repeat(64) }],
      ['STALE_INTERRUPT', { ...right, waitId: 'default/other#1' }],
    ];
    for (const [code, value] of wrong)
      for (const resume of [value, { [interruptId]: value }])
        await expectRefused(threadId, code, () => ann.runs.create(threadId, GRAPH, { command: { resume } }));
  });

  it('refuses who may not: another’s result, one’s own review, a worker’s promotion, no token at all', async () => {
    const { threadId } = await ready();
    const [ann, bob] = [await as('ann'), await as('bob')];
    await answer('ann', threadId, { action: 'claim' });
    const result = await envelope(threadId, { action: 'result', artifact: await artifact('3') });
    await expectRefused(threadId, 'NOT_HOLDER', () =>
      bob.runs.create(threadId, GRAPH, { command: { resume: result } }),
    );
    await ann.runs.create(threadId, GRAPH, { command: { resume: result } });
    const review = await envelope(threadId, { action: 'review', verdict: 'PASS', evidenceRef: 'log:1' });
    await expectRefused(
      threadId,
      'FORBIDDEN',
      () => ann.runs.create(threadId, GRAPH, { command: { resume: review } }),
      403,
    );
    await expect(clientOf('sbx_nobody').threads.get(threadId)).rejects.toMatchObject({ status: 401 });
  });

  it('says INVALID with the path for an answer without its fields, and for what is not offered', async () => {
    const { threadId } = await ready();
    const otto = await as('otto');
    const resume = await envelope(threadId, { action: 'hold' });
    const call = (more: Json) => () => otto.runs.create(threadId, GRAPH, { command: { resume }, ...more });
    await expectRefused(threadId, 'INVALID', call({}), 422);
    await expectRefused(threadId, 'INVALID', call({ webhook: 'https://example.com' }), 422);
  });

  it('does not know the threads of another tenant, for reading and for answering', async () => {
    const { threadId } = await ready();
    const owner = served.box.as('owner');
    await owner.putPrincipal({ name: 'olga', roles: ['owner'], tenant: 'elsewhere' });
    const { token } = await served.box.as('olga', { tenant: 'elsewhere' }).createToken({ principal: 'olga' });
    const olga = clientOf(token);
    const resume = await envelope(threadId, { action: 'claim' });
    for (const call of [
      () => olga.threads.get(threadId),
      () => olga.threads.getState(threadId),
      () => olga.threads.getHistory(threadId),
      () => olga.runs.list(threadId),
      () => olga.runs.create(threadId, GRAPH, { command: { resume } }),
      () => olga.threads.delete(threadId),
    ])
      await expectRefused(threadId, 'NOT_FOUND', call, 404);
    expect(await olga.threads.search()).toEqual([]);
  });

  it('takes one of ten equal answers that arrive together', async () => {
    const { threadId } = await ready();
    const ann = await as('ann');
    const resume = await envelope(threadId, { action: 'claim' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => ann.runs.create(threadId, GRAPH, { command: { resume } })),
    );
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
  });
});
