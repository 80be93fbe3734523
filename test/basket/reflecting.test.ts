import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../src/core/limits.js';
import { Deliveries, deliverDue } from '../../src/delivery/deliver.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';
import { originServer, type OriginServer } from './origin-server.js';

const SECRET = `whsec_${Buffer.from('a secret of the test desk').toString('base64')}`;
const env = { ORIGIN_SECRET: SECRET };
const MINUTE_ms = 60_000;

let origin: OriginServer;
let desk: TestDesk;

beforeEach(async () => {
  origin = await originServer(SECRET);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await desk.close();
  await origin.close();
});

const webhook = (more: object = {}) => ({
  cases: {
    origins: {
      ordering: {
        type: 'webhook' as const,
        url: `${origin.url}/decisions`,
        secretEnv: 'ORIGIN_SECRET',
        ...more,
      },
    },
  },
});

async function decided(): Promise<{ workId: string; decisionId: string }> {
  const { work } = await desk.box.as('ai').recordException(exception('e-1'));
  const { decisionId } = await claimAndDecide(desk.box, 'ann', work.workId, {
    operations: [{ operationId: 'order-77', outcome: 'not_done' }],
    result: { quantity: 3 },
  });
  return { workId: work.workId, decisionId };
}

const status = async (workId: string) => (await desk.box.as('op').show(workId)).status;

describe('a decision on its way to its origin', () => {
  it('is retried alone for an hour, stays "decided, not reflected", and the order is placed once', async () => {
    desk = await deskWithPeople(webhook());
    const { workId, decisionId } = await decided();
    origin.mood = 503;
    let tries = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      tries += await deliverDue(desk.box.desk, env);
      desk.clock.now_ms += MINUTE_ms;
    }
    expect(tries).toBeGreaterThan(8);
    expect(tries).toBeLessThan(60);
    expect(await status(workId)).toBe('MERGE_READY');
    const waiting = await desk.box.as('op').showCase(workId);
    expect(waiting).toMatchObject({
      decisionId,
      reflectedAt: null,
      deliveries: [{ state: 'pending', failures: tries, lastError: 'the webhook answered 503' }],
    });
    const basket = await desk.box.as('ann').claimNext({ kinds: ['exception-case'] });
    expect(basket, 'nobody is asked again').toBeNull();

    origin.mood = 'takes';
    desk.clock.now_ms += 10 * MINUTE_ms;
    await deliverDue(desk.box.desk, env);
    expect(await status(workId)).toBe('DONE');
    expect(origin.orders).toEqual([decisionId]);
    expect(new Set(origin.arrived)).toEqual(new Set([decisionId]));
    expect(await desk.box.as('op').showCase(workId)).toMatchObject({
      reflectedAt: expect.any(String) as string,
      work: { externalId: decisionId },
      deliveries: [{ state: 'delivered' }],
    });
  });

  it('is sent again under the same ID when nobody knows whether it arrived, and acted on once', async () => {
    desk = await deskWithPeople(webhook());
    const { workId, decisionId } = await decided();
    origin.mood = 'takes and breaks off';
    await deliverDue(desk.box.desk, env);
    expect((await desk.box.as('op').showCase(workId)).deliveries[0]?.state).toBe('unknown');
    origin.mood = 'takes';
    desk.clock.now_ms += MINUTE_ms;
    await deliverDue(desk.box.desk, env);
    expect(await status(workId)).toBe('DONE');
    expect(origin.arrived).toEqual([decisionId, decisionId]);
    expect(origin.orders).toEqual([decisionId]);
    expect((await desk.box.as('owner').verify()).clean, 'history replays to this').toBe(true);
  });

  it('is not sent again where the origin can be asked and says that it has it', async () => {
    desk = await deskWithPeople(webhook({ askUrl: `${origin.url}/asked` }));
    const { workId, decisionId } = await decided();
    origin.mood = 'takes and breaks off';
    await deliverDue(desk.box.desk, env);
    origin.mood = 'takes';
    origin.answersQuestions = false;
    desk.clock.now_ms += MINUTE_ms;
    await deliverDue(desk.box.desk, env);
    expect(origin.arrived, 'unanswered, the question is asked again first').toHaveLength(1);
    origin.answersQuestions = true;
    desk.clock.now_ms += MINUTE_ms;
    await deliverDue(desk.box.desk, env);
    expect(await status(workId)).toBe('DONE');
    expect(origin.arrived).toEqual([decisionId]);
    expect(origin.questions).toEqual([decisionId, decisionId]);
  });

  it('that was cut off in the middle of a try is asked about first', async () => {
    desk = await deskWithPeople(webhook({ askUrl: `${origin.url}/asked` }));
    const { workId, decisionId } = await decided();
    const { takeDue } = await import('../../src/operations/cases/outbox.js');
    expect(await takeDue(desk.box.desk)).toHaveLength(1);
    origin.orders.push(decisionId);
    expect(await deliverDue(desk.box.desk, env), 'another process has it for now').toBe(0);
    desk.clock.now_ms += 2 * MINUTE_ms;
    await deliverDue(desk.box.desk, env);
    expect(origin.arrived).toEqual([]);
    expect(await status(workId)).toBe('DONE');
  });

  it('goes out by itself while a desk is open', { timeout: 60_000 }, async () => {
    vi.stubEnv('ORIGIN_SECRET', SECRET);
    desk = await deskWithPeople({ ...webhook(), deliver: true, now_ms: Date.now });
    const { workId, decisionId } = await decided();
    await vi.waitFor(async () => expect(await status(workId)).toBe('DONE'), {
      timeout: 50_000,
      interval: 100,
    });
    expect(origin.orders).toEqual([decisionId]);
  });

  it('tells a resumed AI what was decided and which operations were done', async () => {
    desk = await deskWithPeople(webhook());
    await decided();
    expect(await desk.box.as('ai').showCase('e-1', { system: 'ordering', runId: 'run-1' })).toMatchObject({
      decision: {
        decision: 'order',
        result: { quantity: 3 },
        operations: [{ operationId: 'order-77', outcome: 'not_done' }],
        decidedBy: 'ann',
      },
    });
  });

  it('goes to a call-back only where the project allows it, and never along a redirect', async () => {
    desk = await deskWithPeople({
      cases: { webhooks: { allow: [`${origin.url}/hooks`], secretEnv: 'ORIGIN_SECRET' } },
    });
    const to = (callbackUrl: string) =>
      exception('e-1', { origin: { system: 'crm', runId: 'r', callbackUrl } });
    const ai = desk.box.as('ai');
    for (const url of [
      `${origin.url}/other`,
      `${origin.url}/hooks-too`,
      `${origin.url}/hooks/../other`,
      'http://169.254.169.254/latest',
      origin.url.replace('//', '//user:secret@').concat('/hooks/a'),
    ])
      await expect(ai.recordException(to(url))).rejects.toMatchObject({ code: 'INVALID' });
    const { work } = await ai.recordException(to(`${origin.url}/hooks/a`));
    await claimAndDecide(desk.box, 'ann', work.workId);
    origin.mood = 302;
    await deliverDue(desk.box.desk, env);
    expect((await desk.box.as('op').showCase(work.workId)).deliveries[0]).toMatchObject({
      state: 'pending',
      lastError: 'the webhook answered 302',
    });
  });

  it('lets a work of this desk that is blocked for it go on', async () => {
    desk = await deskWithPeople();
    const owner = desk.box.as('owner');
    await owner.register({ workId: 'w-1', input: {} });
    await owner.promote('w-1', { reason: 'go' });
    const { claim } = await desk.box.as('bob').claim('w-1', {});
    await desk.box.as('bob').block('w-1', { interruptId: claim.interruptId, reason: 'needs a decision' });
    const { work } = await desk.box
      .as('bob')
      .recordException(exception('e-1', { origin: { system: 'signalbox', runId: 'w-1' } }));
    await claimAndDecide(desk.box, 'ann', work.workId);
    await deliverDue(desk.box.desk, env);
    expect(await desk.box.as('bob').show('w-1')).toMatchObject({ status: 'IN_PROGRESS', holder: 'bob' });
    expect(await status(work.workId)).toBe('DONE');
  });
});

describe('an origin that hangs', () => {
  it(
    "delays its own decisions and nobody else's, and never has more than its part under way",
    { timeout: 60_000 },
    async () => {
      const held = new Set<ServerResponse>();
      let most = 0;
      const hanging = createServer((_request, response) => {
        held.add(response);
        response.once('close', () => held.delete(response));
        most = Math.max(most, held.size);
      });
      await new Promise<void>((resolve) => {
        hanging.listen(0, '127.0.0.1', resolve);
      });
      const at = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
      const target = (url: string) => ({ type: 'webhook' as const, url, secretEnv: 'ORIGIN_SECRET' });
      const healthy = Array.from({ length: 10 }, (_, n) => `healthy-${n}`);
      desk = await deskWithPeople({
        cases: {
          origins: {
            hanging: target(at),
            ...Object.fromEntries(healthy.map((system) => [system, target(`${origin.url}/decisions`)])),
          },
        },
      });
      const raise = async (id: string, system: string): Promise<string> => {
        const { work } = await desk.box
          .as('ai')
          .recordException(exception(id, { origin: { system, runId: 'run-1' } }));
        await claimAndDecide(desk.box, 'ann', work.workId);
        return work.workId;
      };
      for (let n = 0; n < 20; n += 1) await raise(`slow-${n}`, 'hanging');
      desk.clock.now_ms += 1000;
      const works: string[] = [];
      for (const system of healthy) works.push(await raise(`of-${system}`, system));
      const closing = new AbortController();
      const deliveries = new Deliveries(desk.box.desk, { env, closing: closing.signal });
      const begun_ms = performance.now();
      try {
        expect(await deliveries.begin()).toBe(LIMITS.deliveriesPerOrigin + healthy.length);
        await vi.waitFor(
          async () => {
            expect(new Set(await Promise.all(works.map(status)))).toEqual(new Set(['DONE']));
          },
          { timeout: LIMITS.deliveryTimeout_ms, interval: 50 },
        );
        expect(performance.now() - begun_ms).toBeLessThan(LIMITS.deliveryTimeout_ms);
        expect(await deliveries.begin(), 'what hangs has its part').toBe(0);
        expect(most).toBe(LIMITS.deliveriesPerOrigin);
      } finally {
        closing.abort();
        await deliveries.settled();
        hanging.closeAllConnections();
        hanging.close();
      }
    },
  );
});

describe('a decision that cannot be told', () => {
  it('becomes a dead letter that counts as open, and redriven reaches its origin without a new decision', async () => {
    desk = await deskWithPeople(webhook());
    const { workId, decisionId } = await decided();
    origin.mood = 410;
    await deliverDue(desk.box.desk, env);
    const { items, total } = await desk.box.as('op').deadLetters();
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ source: 'outbox', sourceId: decisionId, workId, owner: 'owner' });
    origin.mood = 'takes';
    await expect(
      desk.box.as('ann').redrive(items[0]?.deadLetterId ?? '', { reason: 'fixed' }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await desk.box.as('op').redrive(items[0]?.deadLetterId ?? '', { reason: 'the address is back' });
    await deliverDue(desk.box.desk, env);
    expect(await status(workId)).toBe('DONE');
    expect(origin.orders).toEqual([decisionId]);
    expect((await desk.box.as('op').deadLetters()).total).toBe(0);
  });

  it('is not redriven once somebody has completed it by hand, and is closed with a reason', async () => {
    desk = await deskWithPeople(webhook());
    const { workId } = await decided();
    origin.mood = 410;
    await deliverDue(desk.box.desk, env);
    const [letter] = (await desk.box.as('op').deadLetters()).items;
    const id = letter?.deadLetterId ?? '';
    const work = await desk.box.as('op').show(workId);
    await desk.box.as('op').complete(workId, {
      interruptId: work.wait?.interruptId,
      artifactSha256: work.artifactSha256,
      outcome: 'merged',
      externalId: 'told by telephone',
      evidenceRef: 'call 12',
    });
    await expect(desk.box.as('op').redrive(id, { reason: 'again' })).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
      status: 409,
    });
    await expect(desk.box.as('op').closeDeadLetter(id, {})).rejects.toMatchObject({ code: 'INVALID' });
    await desk.box.as('op').closeDeadLetter(id, { reason: 'told by telephone' });
    expect(await desk.box.as('op').deadLetters({ state: 'closed' })).toMatchObject({
      total: 1,
      items: [{ settledBy: 'op', settledReason: 'told by telephone' }],
    });
  });
});
