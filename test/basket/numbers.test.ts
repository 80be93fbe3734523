import { afterEach, describe, expect, it } from 'vitest';
import { dailyMarkdown } from '../../src/operations/basket/daily-markdown.js';
import { spanText } from '../../src/operations/basket/span-text.js';
import { serving, type Serving } from '../http/serving.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';

let desk: TestDesk | null = null;
let server: Serving | null = null;
afterEach(async () => {
  await desk?.close();
  await server?.close();
  desk = server = null;
});

const MINUTE_ms = 60_000;

/** Two workers on the same kind of work: ann is quick and right; bob is late, doubled, stale and sent back. */
async function aDay(on: TestDesk) {
  const { box, clock } = on;
  const owner = box.as('owner');
  await owner.putPrincipal({ name: 'rev', roles: ['reviewer'] });
  const ready = async (workId: string): Promise<void> => {
    await owner.register({ workId, input: {} });
    await owner.promote(workId, { reason: 'go' });
  };
  const artifact = await box.as('ann').putArtifact('{}', 'application/json');
  const result = (claim: { interruptId: string | null }) => ({
    interruptId: claim.interruptId,
    inputVersion: 1,
    artifact: { sha256: artifact.sha256 },
  });
  for (const [who, workId, minutes] of [
    ['ann', 'a-1', 1],
    ['ann', 'a-2', 2],
    ['bob', 'b-1', 10],
  ] as const) {
    await ready(workId);
    const { claim } = await box.as(who).claim(workId, {});
    clock.now_ms += minutes * MINUTE_ms;
    await box.as(who).submit(workId, result(claim));
    if (who === 'bob')
      await box
        .as(who)
        .submit(workId, result(claim))
        .catch(() => undefined);
  }
  const work = await owner.show('b-1');
  await box.as('rev').review('b-1', {
    interruptId: work.wait?.interruptId,
    artifactSha256: artifact.sha256,
    verdict: 'REWORK',
    evidenceRef: 'read it',
    findings: ['the total is missing'],
  });
  await ready('b-2');
  const { claim } = await box.as('bob').claim('b-2', {});
  await box
    .as('bob')
    .submit('b-2', { ...result(claim), interruptId: 'of another time' })
    .catch(() => undefined);
  clock.now_ms += 24 * 60 * MINUTE_ms;
  await box
    .as('bob')
    .submit('b-2', result(claim))
    .catch(() => undefined);
}

describe('the numbers', () => {
  it('let an owner compare two workers on the same work', async () => {
    desk = await deskWithPeople();
    await aDay(desk);
    const numbers = await desk.box.as('op').stats({ by: 'holder' });
    expect(numbers).toMatchObject({
      range: { from: expect.any(String) as string, to: expect.any(String) as string },
      holders: [
        {
          holder: 'ann',
          claimed: 2,
          completed: 2,
          reworked: 0,
          turnedAway: { late: 0, duplicate: 0, stale: 0 },
          claimToAcceptedP50_ms: MINUTE_ms,
          claimToAcceptedP95_ms: 2 * MINUTE_ms,
        },
        {
          holder: 'bob',
          claimed: 2,
          completed: 1,
          reworked: 1,
          expired: 1,
          turnedAway: { late: 1, duplicate: 1, stale: 1 },
          claimToAcceptedP50_ms: 10 * MINUTE_ms,
        },
      ],
    });
  });

  it('count every work there is per kind and class, and what happened over a named range', async () => {
    desk = await deskWithPeople();
    await aDay(desk);
    const { work } = await desk.box.as('ai').recordException(exception('e-1'));
    await desk.box.as('ai').recordException(exception('e-2', { dueAt: '2026-03-02T09:00:00Z' }));
    await claimAndDecide(desk.box, 'ann', work.workId);
    const numbers = await desk.box.as('op').stats();
    expect(numbers).toMatchObject({
      kinds: [
        {
          kind: 'exception-case',
          class: 'price-mismatch',
          counts: { READY: 1, MERGE_READY: 1 },
          open: 2,
          unowned: 1,
          overdue: 1,
          notReflected: 1,
          ended: 0,
        },
        {
          kind: 'generic',
          class: null,
          counts: { VP_REVIEW: 2, REWORK: 1, IN_PROGRESS: 1 },
          outcomeUnknown: 1,
          reworkRounds: 1,
        },
      ],
      deadLetters: 0,
    });
    // The decided case waits for its origin; only the other one is there to be taken.
    const { items } = await desk.box.as('op').list({ unowned: true, kind: 'exception-case' });
    expect(items.map(({ status }) => status)).toEqual(['READY']);
  });

  it('say how long things took in the unit that suits them', () => {
    expect([400, 95_000, 20 * MINUTE_ms, 150 * MINUTE_ms, 72 * 60 * MINUTE_ms].map(spanText)).toEqual([
      '0.4 s',
      '95.0 s',
      '20.0 min',
      '2.5 h',
      '3.0 d',
    ]);
  });

  it('close a day in words in which nothing of a name can break out', async () => {
    desk = await deskWithPeople();
    await desk.box
      .as('ai')
      .recordException(exception('e-1', { classification: 'a | b](http://evil) <img src=x>' }));
    const report = await desk.box.as('op').dailyReport({ date: '2026-03-02' });
    expect(report.happened).toMatchObject({ arrived: 1, casesArrived: 1, observations: 0, decided: 0 });
    const text = dailyMarkdown(report);
    expect(text).toContain('# 2026-03-02');
    expect(text).toContain(String.raw`a \| b\](http://evil) \<img src=x\>`);
    expect((await desk.box.as('op').dailyReport({ date: '2026-03-01' })).happened.arrived).toBe(0);
  });

  it('are there for Prometheus, for whoever has a token', async () => {
    server = await serving();
    const at = server;
    const call: Serving['call'] = (...asked) => at.call(...asked);
    expect((await call('GET', '/metrics', { token: null })).status).toBe(401);
    const recorded = await call('POST', '/v1/exceptions', { json: exception('e-1') });
    expect(recorded).toMatchObject({ status: 201, body: { outcome: 'created' } });
    expect((await call('POST', '/v1/exceptions', { json: exception('e-1') })).status).toBe(200);
    const metrics = await call('GET', '/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(metrics.text).toContain(
      'signalbox_works{kind="exception-case",class="price-mismatch",status="READY"} 1',
    );
    expect(metrics.text).toContain('signalbox_dead_letters 0');
    const report = await call('GET', '/v1/reports/daily', { headers: { accept: 'text/markdown' } });
    expect(report.text).toContain('of them cases 1; further observations 1');
    expect((await call('GET', '/v1/basket?view=unclaimed')).body).toMatchObject({ total: 1 });
  });
});
