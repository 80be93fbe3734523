import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../src/core/limits.js';
import { Deliveries, deliverDue, deliveryPass } from '../../src/delivery/deliver.js';
import { Complaints } from '../../src/telemetry/complaints.js';
import { claimAndDecide, deskWithPeople, exception, type TestDesk } from './desk.js';
import { originServer, type OriginServer } from './origin-server.js';

const SECRET = `whsec_${Buffer.from('a secret of the test desk').toString('base64')}`;
const env = { ORIGIN_SECRET: SECRET };
const NEVER = new AbortController().signal;
const MINUTE_ms = 60_000;

let origin: OriginServer;
let desk: TestDesk;
let said: { message: string; error?: unknown }[];

beforeEach(async () => {
  said = [];
  origin = await originServer(SECRET);
  desk = await deskWithPeople({
    cases: {
      origins: { ordering: { type: 'webhook', url: `${origin.url}/decisions`, secretEnv: 'ORIGIN_SECRET' } },
    },
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await desk.close();
  await origin.close();
});

function listening(): Deliveries {
  const complaints = new Complaints(() => desk.clock.now_ms);
  complaints.listen((message, fields) => said.push({ message, ...fields }));
  return new Deliveries(desk.box.desk, { env, closing: NEVER }, complaints);
}

async function told(deliveries: Deliveries): Promise<void> {
  await deliveries.begin();
  await deliveries.settled();
}

async function decided(id = 'e-1'): Promise<string> {
  const { work } = await desk.box.as('ai').recordException(exception(id));
  await claimAndDecide(desk.box, 'ann', work.workId);
  return work.workId;
}

const shown = (workId: string) => desk.box.as('op').showCase(workId);

/** Something done to the database past the desk, as an accident or a careless administrator would. */
function pastTheDesk(statement: string): void {
  const database = new Database(join(desk.dataDir, 'signalbox.db'));
  database.exec(statement);
  database.close();
}

async function asked(who: { name: string; tenant?: string }, id: string): Promise<string> {
  const door = desk.box.as(who.name, who.tenant === undefined ? {} : { tenant: who.tenant });
  const { work } = await door.recordException(exception(id, { origin: { system: 'crm', runId: 'r' } }));
  const { claim } = await door.claim(work.workId, {});
  await door.requestInfo(work.workId, {
    interruptId: claim.interruptId,
    who: 'supplier',
    what: 'the quote',
    until: new Date(desk.clock.now_ms + MINUTE_ms).toISOString(),
  });
  return work.workId;
}

describe('what goes wrong in one tenant', () => {
  it("keeps no other tenant's question from ending and no decision from its origin, and is said", async () => {
    await desk.box.as('owner').putPrincipal({ name: 'boss', roles: ['owner'], tenant: 'a-tenant' });
    await asked({ name: 'boss', tenant: 'a-tenant' }, 'e-9');
    const question = await asked({ name: 'owner' }, 'e-2');
    const workId = await decided();
    pastTheDesk(`CREATE TRIGGER stuck BEFORE UPDATE ON works WHEN OLD.tenant = 'a-tenant'
      BEGIN SELECT RAISE(ABORT, 'this tenant is stuck'); END`);
    desk.clock.now_ms += 2 * MINUTE_ms;
    const deliveries = listening();
    await deliveryPass(desk.box.desk, deliveries);
    await deliveries.settled();
    expect((await shown(question)).work.status).toBe('IN_PROGRESS');
    expect((await shown(workId)).work.status).toBe('DONE');
    expect(said).toEqual([
      expect.objectContaining({
        message: 'timers of cases failed and will be tried again',
        error: expect.stringContaining('this tenant is stuck') as string,
      }),
    ]);
    pastTheDesk('DROP TRIGGER stuck');
    await deliveryPass(desk.box.desk, deliveries);
    expect(said.at(-1)).toMatchObject({ message: expect.stringMatching(/^over: timers/) as string });
  });

  it('by taking the rights of the desk itself is made right again', async () => {
    const first = await decided('e-1');
    await deliverDue(desk.box.desk, env);
    expect((await shown(first)).work.status).toBe('DONE');
    pastTheDesk(
      `UPDATE principals SET roles = '["viewer"]', actor = 'mallory', disabled_at = 1 WHERE name = 'signalbox'`,
    );
    const second = await decided('e-2');
    await deliverDue(desk.box.desk, env);
    expect((await shown(second)).work.status).toBe('DONE');
  });
});

describe('a desk that cannot sign', () => {
  it.each([
    ['has no secret', {}, 'ORIGIN_SECRET is not set'],
    ['has one that is none', { ORIGIN_SECRET: 'whsec_?not base64?' }, 'ORIGIN_SECRET is no secret'],
  ])('because it %s uses up no try, and tells the decision once it can', async (_name, without, why) => {
    const workId = await decided();
    for (let look = 0; look < LIMITS.deliveryAttempts + 5; look += 1) {
      await deliverDue(desk.box.desk, without);
      desk.clock.now_ms += LIMITS.deliveryUnready_ms;
    }
    expect(await shown(workId)).toMatchObject({
      deliveries: [
        { state: 'pending', attempts: 0, failures: 0, lastError: expect.stringContaining(why) as string },
      ],
    });
    expect((await desk.box.as('op').deadLetters()).total).toBe(0);
    await deliverDue(desk.box.desk, env);
    expect((await shown(workId)).work.status).toBe('DONE');
  });

  it('says so when it starts', async () => {
    await desk.close();
    for (const [value, why] of [
      ['', 'is not set'],
      ['whsec_?not base64?', 'is no secret'],
      [SECRET, null],
    ] as const) {
      said = [];
      vi.stubEnv('ORIGIN_SECRET', value);
      desk = await deskWithPeople({
        deliver: true,
        cases: { origins: { ordering: { type: 'webhook', url: origin.url, secretEnv: 'ORIGIN_SECRET' } } },
      });
      await desk.box.startDuties((message, fields) => said.push({ message, ...fields }));
      if (why === null) expect(said).toEqual([]);
      else
        expect(said).toEqual([
          {
            message: 'the origin ordering cannot be told',
            error: expect.stringContaining(`ORIGIN_SECRET ${why}`) as string,
          },
        ]);
      if (why !== null) await desk.close();
    }
  });
});

describe('an origin that cannot be told', () => {
  it('is in the log when it begins, when it changes, now and then, and when it is over', async () => {
    const deliveries = listening();
    const workId = await decided();
    origin.mood = 503;
    await told(deliveries);
    for (let n = 0; n < 4; n += 1) {
      desk.clock.now_ms += MINUTE_ms;
      await told(deliveries);
    }
    expect(said).toEqual([
      expect.objectContaining({
        message: 'the origin ordering could not be told',
        error: 'the webhook answered 503',
        origin: 'ordering',
        workId,
      }),
    ]);
    origin.mood = 500;
    desk.clock.now_ms += 10 * MINUTE_ms;
    await told(deliveries);
    expect(said).toHaveLength(2);
    desk.clock.now_ms += 10 * MINUTE_ms;
    await told(deliveries);
    expect(said, 'the same again, ten minutes later').toHaveLength(3);
    origin.mood = 'takes';
    desk.clock.now_ms += 10 * MINUTE_ms;
    await told(deliveries);
    expect(said.at(-1)?.message).toBe('over: the origin ordering could not be told');
  });

  it('for good is said of every decision', async () => {
    const deliveries = listening();
    origin.mood = 410;
    await decided('e-1');
    await decided('e-2');
    await told(deliveries);
    expect(said.map(({ message }) => message)).toEqual([
      'a decision went to the dead letters',
      'a decision went to the dead letters',
    ]);
  });
});
