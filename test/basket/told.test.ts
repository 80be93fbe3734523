import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deliveries, deliverDue } from '../../src/delivery/deliver.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';

const env = { ORIGIN_SECRET: `whsec_${Buffer.from('a secret of the test desk').toString('base64')}` };
const NEVER = new AbortController().signal;

/** A web server whose answers are given by hand, by decision ID. */
interface HeldOrigin {
  readonly url: string;
  /** Decisions that arrived, in order, whether answered or not. */
  readonly arrived: string[];
  answer(decisionId: string, status: number): void;
  close(): Promise<void>;
}

async function heldOrigin(): Promise<HeldOrigin> {
  const waiting = new Map<string, ServerResponse>();
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    arrived.push(id);
    waiting.set(id, response);
    request.resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    answer(decisionId, status) {
      const response = waiting.get(decisionId);
      if (!response) throw new Error(`${decisionId} has not arrived`);
      response.writeHead(status).end();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

let origin: HeldOrigin;
let desk: TestDesk;

beforeEach(async () => {
  origin = await heldOrigin();
  desk = await deskWithPeople({
    cases: { origins: { ordering: { type: 'webhook', url: origin.url, secretEnv: 'ORIGIN_SECRET' } } },
  });
});
afterEach(async () => {
  await origin.close();
  await desk.close();
});

async function decided(): Promise<{ workId: string; decisionId: string }> {
  const { work } = await desk.box.as('ai').recordException(exception('e-1'));
  const { decisionId } = await claimAndDecide(desk.box, 'ann', work.workId);
  return { workId: work.workId, decisionId };
}

/** Begins to tell what is due and waits until it has arrived. */
async function underWay(deliveries: Deliveries, decisionId: string): Promise<void> {
  await deliveries.begin();
  await vi.waitFor(() => expect(origin.arrived).toContain(decisionId), { timeout: 10_000, interval: 10 });
}

async function waitOf(workId: string) {
  const { wait, artifactSha256 } = await desk.box.as('op').show(workId);
  return { interruptId: wait?.interruptId ?? '', artifactSha256: artifactSha256 ?? '' };
}

async function hold(workId: string): Promise<void> {
  const { interruptId } = await waitOf(workId);
  await desk.box.as('op').hold(workId, { interruptId, reason: 'a question' });
}

const standing = async (workId: string) => {
  const { work, reflectedAt, decisionId, deliveries } = await desk.box.as('op').showCase(workId);
  return { status: work.status, externalId: work.externalId, reflectedAt, decisionId, deliveries };
};

const clean = async () => (await desk.box.as('owner').verify()).clean;

describe('an answer to a delivery that comes late', () => {
  it('does not complete the case for the decision that took its place, which is told itself', async () => {
    const { workId, decisionId: first } = await decided();
    const deliveries = new Deliveries(desk.box.desk, { env, closing: NEVER });
    await underWay(deliveries, first);
    await desk.box.as('op').complete(workId, {
      ...(await waitOf(workId)),
      outcome: 'conflict',
      externalId: 'c-1',
      evidenceRef: 'to be decided anew',
    });
    const { decisionId: second } = await claimAndDecide(desk.box, 'bob', workId, { decision: 'cancel' });
    origin.answer(first, 200);
    await deliveries.settled();
    expect(await standing(workId)).toMatchObject({
      status: 'MERGE_READY',
      decisionId: second,
      reflectedAt: null,
      deliveries: [
        { deliveryId: first, state: 'delivered' },
        { deliveryId: second, state: 'pending' },
      ],
    });
    const history = await desk.box.as('op').history(workId);
    expect(history.find(({ type }) => type === 'case.told')?.data).toMatchObject({
      deliveryId: first,
      replaced: true,
    });

    await underWay(deliveries, second);
    origin.answer(second, 200);
    await deliveries.settled();
    expect(await standing(workId)).toMatchObject({
      status: 'DONE',
      externalId: second,
      reflectedAt: expect.any(String) as string,
      deliveries: [{ state: 'delivered' }, { state: 'delivered' }],
    });
    expect(origin.arrived).toEqual([first, second]);
    expect(await clean()).toBe(true);
  });

  it('is kept while the case is held, and completes it when it goes on, told once', async () => {
    const { workId, decisionId } = await decided();
    const deliveries = new Deliveries(desk.box.desk, { env, closing: NEVER });
    await underWay(deliveries, decisionId);
    await hold(workId);
    origin.answer(decisionId, 200);
    await deliveries.settled();
    expect(await standing(workId)).toMatchObject({
      status: 'HOLD',
      reflectedAt: expect.any(String) as string,
      deliveries: [
        { state: 'told', attempts: 1, failures: 0, lastError: expect.stringContaining('HOLD') as string },
      ],
    });
    expect(await deliverDue(desk.box.desk, env)).toBe(0);
    const { interruptId } = await waitOf(workId);
    await desk.box.as('op').resume(workId, { interruptId, reason: 'answered' });
    await deliverDue(desk.box.desk, env);
    expect(await standing(workId)).toMatchObject({ status: 'DONE', deliveries: [{ state: 'delivered' }] });
    expect(origin.arrived).toEqual([decisionId]);
    expect(await clean()).toBe(true);
  });

  it('completes the case once an effect that was announced meanwhile is settled', async () => {
    const { workId, decisionId } = await decided();
    const { interruptId } = await waitOf(workId);
    const effect = { operationId: 'op-1', action: 'phone', target: 'supplier' };
    await desk.box.as('op').intendEffect(workId, { ...effect, interruptId });
    const deliveries = new Deliveries(desk.box.desk, { env, closing: NEVER });
    await underWay(deliveries, decisionId);
    origin.answer(decisionId, 200);
    await deliveries.settled();
    expect(await deliverDue(desk.box.desk, env), 'nothing to try while it is open').toBe(0);
    expect(await standing(workId)).toMatchObject({ status: 'MERGE_READY', deliveries: [{ state: 'told' }] });
    await desk.box.as('op').settleEffect(workId, 'op-1', {
      outcome: 'confirmed',
      externalId: 'call-1',
      evidenceRef: 'they know',
    });
    await deliverDue(desk.box.desk, env);
    expect(await standing(workId)).toMatchObject({ status: 'DONE', deliveries: [{ state: 'delivered' }] });
    expect(origin.arrived).toEqual([decisionId]);
  });

  it('stays on record as told where the case is ended before it is completed', async () => {
    const { workId, decisionId } = await decided();
    const deliveries = new Deliveries(desk.box.desk, { env, closing: NEVER });
    await underWay(deliveries, decisionId);
    await hold(workId);
    origin.answer(decisionId, 200);
    await deliveries.settled();
    const { interruptId } = await waitOf(workId);
    await desk.box.as('op').cancel(workId, { interruptId, reason: 'not needed' });
    await deliverDue(desk.box.desk, env);
    expect(await standing(workId)).toMatchObject({
      status: 'CANCELLED',
      deliveries: [{ deliveryId: decisionId, state: 'delivered', lastError: null }],
    });
  });

  it('stays on record as told where the case is decided anew before it is completed', async () => {
    const { workId, decisionId: first } = await decided();
    const deliveries = new Deliveries(desk.box.desk, { env, closing: NEVER });
    await underWay(deliveries, first);
    await hold(workId);
    origin.answer(first, 200);
    await deliveries.settled();
    const { interruptId } = await waitOf(workId);
    await desk.box.as('op').resume(workId, { interruptId, reason: 'to be decided anew' });
    await desk.box.as('op').complete(workId, {
      ...(await waitOf(workId)),
      outcome: 'conflict',
      externalId: 'c-1',
      evidenceRef: 'to be decided anew',
    });
    const { decisionId: second } = await claimAndDecide(desk.box, 'bob', workId);
    expect(await standing(workId)).toMatchObject({
      decisionId: second,
      reflectedAt: null,
      deliveries: [
        { deliveryId: first, state: 'delivered' },
        { deliveryId: second, state: 'pending' },
      ],
    });
  });
});
