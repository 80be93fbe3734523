import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountMcp } from '../../src/surfaces/mcp/mount.js';
import { deskBox } from '../support/desk-box.js';
import { serving, type Serving } from '../http/serving.js';
import { overHttp, overStdio, type ToolClient } from './clients.js';

let here: Serving;
beforeAll(async () => {
  here = await serving({}, { mounts: [mountMcp] });
});
afterAll(() => here.close());

/** Each way to reach the same desk, with a client for a principal of its own. */
const WAYS: readonly [string, (name: string, role: string) => Promise<ToolClient>][] = [
  ['streamable HTTP', async (name, role) => overHttp(here.url, await here.tokenOf(`${name}-http`, [role]))],
  [
    'stdio to a running server',
    async (name, role) =>
      overStdio({
        SIGNALBOX_URL: here.url,
        SIGNALBOX_TOKEN: await here.tokenOf(`${name}-remote`, [role]),
      }),
  ],
];

describe.each(WAYS)('over %s', (_way, open) => {
  let worker: ToolClient;
  let reviewer: ToolClient;
  let owner: ToolClient;
  beforeAll(async () => {
    [worker, reviewer, owner] = await Promise.all([
      open('wanda', 'worker'),
      open('rita', 'reviewer'),
      open('olga', 'owner'),
    ]);
  });
  afterAll(() => Promise.all([worker, reviewer, owner].map((each) => each.close())));

  it(
    'a work goes its whole life by tool calls, and a stale submission moves nothing',
    { timeout: 60_000 },
    async () => {
      const registered = await worker.call('register', {
        workId: `life-${_way.replaceAll(' ', '-')}`,
        title: 'Say hello',
        input: { to: _way },
      });
      expect(registered).toMatchObject({ isError: false, said: { outcome: 'created' } });
      const { workId } = registered.said.work;
      await here.box.as('owner').promote(workId, { reason: 'is real' });
      const listed = await worker.call('list_ready');
      expect(listed.said).toMatchObject({ total: 1, items: [{ workId, status: 'READY' }] });

      const { claim } = (await worker.call('claim_next')).said;
      expect(claim).toMatchObject({ workId, inputVersion: 1, input: { to: _way }, round: 1 });
      expect((await worker.call('claim_next')).said).toEqual({ claim: null });
      const answer = { workId, interruptId: claim.interruptId, inputVersion: 1 };
      const renewed = await worker.call('renew', {
        workId,
        interruptId: claim.interruptId,
        progress: { done: 1, total: 2 },
      });
      expect(renewed.said.lease).toMatchObject({ state: 'working' });
      const first = await worker.call('submit_result', {
        ...answer,
        content: 'hallo',
        idempotencyKey: `a ${_way}`,
      });
      expect(first).toMatchObject({
        isError: false,
        said: { work: { status: 'VP_REVIEW' }, replayed: false },
      });
      const resent = await worker.call('submit_result', {
        ...answer,
        content: 'hallo',
        idempotencyKey: `a ${_way}`,
      });
      expect(resent.said).toMatchObject({ replayed: true });

      const standing = (await worker.call('get_work', { workId })).said;
      const sent = (
        await reviewer.call('review', {
          workId,
          interruptId: standing.wait.interruptId,
          artifactSha256: standing.artifactSha256,
          verdict: 'REWORK',
          evidenceRef: 'log:1',
          findings: ['in English, please'],
        })
      ).said;
      expect(sent.work).toMatchObject({
        status: 'REWORK',
        round: 2,
        findings: [{ message: 'in English, please' }],
      });

      const second = (await worker.call('claim', { workId })).said.claim;
      const before = await here.box.as('owner').show(workId);
      const stale = await worker.call('submit_result', { ...answer, content: 'hello' });
      expect(stale.isError).toBe(true);
      expect(stale.said).toMatchObject({
        code: 'STALE_INTERRUPT',
        current: { status: 'IN_PROGRESS', interruptId: second.interruptId },
      });
      expect(stale.said.next).toMatch(/\S/);
      expect(JSON.parse(stale.text)).toEqual(stale.said);
      const after = await here.box.as('owner').show(workId);
      expect({ ...after, updatedAt: '' }).toEqual({ ...before, updatedAt: '' });

      const current = { ...answer, interruptId: second.interruptId };
      const handed = (await worker.call('submit_result', { ...current, content: 'hello' })).said.work;
      const read = await reviewer.call('get_artifact', { sha256: handed.artifactSha256 });
      expect(read.said).toMatchObject({ text: 'hello', mediaType: 'text/plain', nextOffset: null });
      const passed = await reviewer.call('review', {
        workId,
        interruptId: handed.wait.interruptId,
        artifactSha256: handed.artifactSha256,
        verdict: 'PASS',
        evidenceRef: 'log:2',
      });
      expect(passed.said.work.status).toBe('MERGE_READY');
      const done = await owner.call('complete', {
        workId,
        interruptId: passed.said.work.wait.interruptId,
        artifactSha256: handed.artifactSha256,
        outcome: 'merged',
        externalId: 'out-1',
        evidenceRef: 'log:3',
      });
      expect(done.said.work.status).toBe('DONE');
      const { items } = (await worker.call('get_history', { workId })).said;
      expect(items).toEqual(JSON.parse(JSON.stringify(await here.box.as('owner').history(workId))));
    },
  );

  it('every tool has a description, and arguments that are described by a JSON Schema', async () => {
    const { tools } = await worker.client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'list_ready',
        'claim_next',
        'claim',
        'renew',
        'submit_result',
        'review',
        'decide',
        'get_work',
        'get_history',
        'register',
        'save_partial',
        'release',
        'hand_off',
        'report_effect',
      ]),
    );
    for (const tool of tools) {
      expect(tool.description?.length).toBeGreaterThan(60);
      expect(tool.inputSchema).toMatchObject({ type: 'object' });
      for (const needed of tool.inputSchema.required ?? [])
        expect(Object.keys(tool.inputSchema.properties ?? {})).toContain(needed);
    }
    expect(worker.client.getInstructions()).toContain('claim_next');
  });

  it('wrong arguments are an INVALID that names the field, and an unknown tool is a protocol error', async () => {
    expect(await worker.call('get_work')).toMatchObject({
      isError: true,
      said: { code: 'INVALID', errors: [{ path: '/workId' }] },
    });
    expect(await worker.call('claim_next', { kind: 'generic' })).toMatchObject({
      isError: true,
      said: { code: 'INVALID' },
    });
    expect(await worker.call('claim_next', { idempotencyKey: 7 })).toMatchObject({
      said: { code: 'INVALID' },
    });
    await expect(worker.call('no_such_tool')).rejects.toThrow(/no tool no_such_tool/);
  });
});

it('a call without a valid token is turned away before anything is looked at', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const json = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const none = await here.call('POST', '/mcp', { token: null, json, headers });
  expect([none.status, none.body.code]).toEqual([401, 'UNAUTHENTICATED']);
  await expect(overHttp(here.url, 'nonsense')).rejects.toThrow(/401|UNAUTHENTICATED/);
});

it('what a holder leaves behind reaches the next one, and an operation outside gets one go-ahead', async () => {
  const ann = await overHttp(here.url, await here.tokenOf('ann', ['worker']));
  const bob = await overHttp(here.url, await here.tokenOf('bob', ['worker']));
  const owner = here.box.as('owner');
  await owner.register({ workId: 'passed-on', input: 1 });
  await owner.promote('passed-on', { reason: 'go' });
  const { claim } = (await ann.call('claim', { workId: 'passed-on' })).said;
  const held = { workId: 'passed-on', interruptId: claim.interruptId };
  const saved = await ann.call('save_partial', { ...held, content: 'half', items: ['one'] });
  expect(saved).toMatchObject({ isError: false, said: { items: ['one'] } });
  const operation = { ...held, operationId: 'op-1', action: 'mail', target: 'the customer' };
  expect((await ann.call('report_effect', operation)).said).toMatchObject({ goAhead: true });
  expect((await ann.call('report_effect', operation)).said).toMatchObject({ goAhead: false });
  const settled = {
    workId: 'passed-on',
    operationId: 'op-1',
    outcome: 'confirmed',
    externalId: 'm-1',
    evidenceRef: 'log:1',
  };
  expect((await ann.call('report_effect', settled)).said.effect).toMatchObject({ outcome: 'confirmed' });
  const handed = await ann.call('hand_off', {
    ...held,
    to: 'bob',
    reason: 'bob knows it',
    itemsLeft: ['two'],
  });
  expect(handed.said.work).toMatchObject({ status: 'IN_PROGRESS', holder: 'bob' });
  expect((await ann.call('release', { ...held, reason: 'too late' })).said.code).toMatch(
    /NOT_HOLDER|STALE_INTERRUPT/,
  );
  const standing = (await bob.call('get_work', { workId: 'passed-on' })).said;
  const released = await bob.call('release', {
    workId: 'passed-on',
    interruptId: standing.wait.interruptId,
    reason: 'no time',
  });
  expect(released.said.work.status).toMatch(/READY/);
  const again = (await ann.call('claim', { workId: 'passed-on' })).said.claim;
  expect(again.handoff).toMatchObject({ from: 'bob', reason: 'no time' });
  await Promise.all([ann.close(), bob.close()]);
});

it('a large artifact is read part by part, never cutting a character', async () => {
  const worker = await overHttp(here.url, await here.tokenOf('wanda-http', ['worker']));
  const whole = 'ä€😀'.repeat(60_000);
  const { sha256 } = await here.box.as('owner').putArtifact(whole, 'text/plain');
  let read = '';
  let offset: number | null = 0;
  while (offset !== null) {
    const { said } = await worker.call('get_artifact', { sha256, offset });
    read += said.text;
    offset = said.nextOffset;
  }
  expect(read).toBe(whole);
  await worker.close();
});

it('nothing of this was logged as an error', () => {
  expect(here.errors).toEqual([]);
});

it(
  'stdio works on a data folder too, without a server, as whoever is named',
  { timeout: 60_000 },
  async () => {
    const desk = await deskBox();
    await desk.owner.register({ workId: 'local', input: 1 });
    await desk.owner.promote('local', { reason: 'go' });
    const ann = await overStdio({ SIGNALBOX_DATA: desk.dataDir }, ['--as', 'ann']);
    const { claim } = (await ann.call('claim_next')).said;
    const { interruptId, inputVersion } = claim;
    const answer = { workId: 'local', interruptId, inputVersion, content: 'it' };
    expect((await ann.call('submit_result', answer)).said.work.status).toBe('VP_REVIEW');
    await ann.close();
    expect((await desk.owner.show('local')).author).toBe('ann');
    await desk.close();
  },
);
