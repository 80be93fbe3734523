import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { run, sql } from '../../src/ledger/sql.js';
import { exception } from '../basket/desk.js';
import type { Serving } from '../http/serving.js';
import { formOf, servingCockpit, signedInVisitor, type Visitor } from './visiting.js';

const SECRET = `whsec_${Buffer.from('a secret of the test desk').toString('base64')}`;

/** What the origin answers. */
let answers = 503;
let origin: Server;
let here: Serving;
let owner: Visitor;
let path: string;
let workId: string;

beforeAll(async () => {
  origin = createServer((request, response) => {
    request.resume();
    response.writeHead(answers).end();
  });
  await new Promise<void>((resolve) => {
    origin.listen(0, '127.0.0.1', resolve);
  });
  vi.stubEnv('ORIGIN_SECRET', SECRET);
  const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/decisions`;
  here = await servingCockpit({
    cases: { origins: { ordering: { type: 'webhook', url, secretEnv: 'ORIGIN_SECRET' } } },
  });
  owner = await signedInVisitor(here, here.ownerToken);
  const raised = await (await here.as('ai', ['scout'])).recordException(exception('e-1'));
  workId = raised.work.workId;
  path = `/works/${workId}`;
  const ann = await here.as('ann');
  const { claim } = await ann.claim(workId, {});
  const { interruptId, inputVersion } = claim;
  await ann.decideCase(workId, {
    interruptId,
    inputVersion,
    decision: 'order',
    reason: 'the price is right',
  });
  await vi.waitFor(
    async () =>
      expect((await here.box.as('owner').showCase(workId)).deliveries[0]?.failures).toBeGreaterThan(0),
    { timeout: 30_000, interval: 100 },
  );
});
afterAll(async () => {
  await here.close();
  vi.unstubAllEnvs();
  await new Promise((resolve) => {
    origin.close(resolve);
  });
});

it('a case says why its origin is not told yet, and that completing it by hand is the exception', async () => {
  const page = (await owner.get(path)).text;
  expect(page).toContain('Telling the origin');
  expect(page).toContain('Still to be told');
  expect(page).toContain('the webhook answered 503');
  expect(page).toContain('Next try');
  expect(page).toContain('Report its completion only if the origin was told in another way.');
  expect(page).toMatch(/<details><summary>Report completion/);
  expect((await here.box.as('owner').show(workId)).wait?.waitsFor).toBe(
    'its origin to be told the decision, or the report that it was told in another way',
  );
});

it('the log of the server tells of it once, and the health page does not call it arrived', async () => {
  expect(here.errors.filter(({ message }) => message === 'the origin ordering could not be told')).toEqual([
    expect.objectContaining({ error: 'the webhook answered 503', workId }),
  ]);
  const health = (await owner.get('/health')).text;
  expect(health).toContain('no delivery was given up');
  expect(health).not.toContain('every decision reached');
});

it('is tried again at once by whoever runs the desk', async () => {
  // An hour's pause, as after many failures.
  await here.box.desk.store.write(() => run(sql`UPDATE outbox SET next_at = next_at + 3600000`));
  answers = 204;
  await expect(
    (await here.as('ann')).tellNow(workId, { reason: 'their server is back' }),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const action = `${path}/case/tell-now`;
  const { text } = await owner.get(path);
  expect((await owner.post(action, { ...formOf(text, action), reason: 'their server is back' })).status).toBe(
    303,
  );
  await vi.waitFor(async () => expect((await here.box.as('owner').show(workId)).status).toBe('DONE'), {
    timeout: 20_000,
    interval: 100,
  });
  expect((await owner.get(path)).text).toContain('Told');
  await expect(here.box.as('owner').tellNow(workId, { reason: 'again' })).rejects.toMatchObject({
    code: 'ACTION_NOT_ALLOWED',
  });
});
