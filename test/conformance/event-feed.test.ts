import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ledger/store.js';
import { EventFeed } from '../../src/operations/event-feed.js';
import { events } from '../../src/operations/events.js';
import type { Desk } from '../../src/operations/desk.js';
import { deskBox, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
});
afterAll(() => desk.close());

/** The same desk, whose reads for streams are counted. */
function counted(window?: number): { desk: Desk; reads: () => number } {
  let reads = 0;
  const { store } = desk.box.desk;
  const counting: Pick<Store, 'read' | 'settledPosition' | 'onWritten'> = {
    read: (work) => {
      reads += 1;
      return store.read(work);
    },
    settledPosition: () => store.settledPosition(),
    onWritten: (listener) => store.onWritten(listener),
  };
  const feed = new EventFeed(counting, window);
  return { desk: { ...desk.box.desk, store: { ...store, ...counting }, feed }, reads: () => reads };
}

let count = 0;
async function register(works: number): Promise<string[]> {
  const ids = Array.from({ length: works }, () => `feed-${(count += 1)}`);
  await Promise.all(ids.map((workId) => desk.owner.register({ workId, input: {} })));
  return ids;
}

interface Following {
  readonly seen: string[];
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

/** Follows until it has seen a registration of each of these works. */
function follow(on: Desk, principal: string, until: () => readonly string[], after?: number): Following {
  const ending = new AbortController();
  const seen: string[] = [];
  const told = events(on, { tenant: 'default', principal }, after === undefined ? {} : { after }, {
    signal: ending.signal,
  });
  const enough = (): boolean => until().length > 0 && until().every((workId) => seen.includes(workId));
  const ended = (async () => {
    for await (const event of told) {
      seen.push(event.workId ?? '');
      if (enough()) break;
    }
  })();
  return { seen, ready: new Promise((resolve) => setTimeout(resolve, 200)), ended };
}

describe('many who follow the events', () => {
  it('cost a writer one look at the history, not one each, and each is told everything once', async () => {
    const { desk: on, reads } = counted();
    let written: string[] = [];
    const people = ['ann', 'rita', 'vic'];
    const streams = Array.from({ length: 150 }, (_, at) => follow(on, people[at % 3] ?? '', () => written));
    // Until all have found where they begin; from then on there is a look a second.
    await expect
      .poll(async () => {
        const so = reads();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return reads() - so;
      })
      .toBeLessThan(3);
    const before = reads();
    const ids = Array.from({ length: 10 }, (_, at) => `feed-${count + at + 1}`);
    written = ids;
    for (const _ of ids) {
      await register(1);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await Promise.all(streams.map(({ ended }) => ended));
    for (const { seen } of streams) expect(seen).toEqual(ids);
    // For each write a look or two and the rights of three people; one look each were 1,500.
    expect(reads() - before).toBeLessThan(200);
  });

  it('miss nothing and see nothing twice where they are further back than what is kept for all', async () => {
    const { desk: on } = counted(3);
    const old = await register(5);
    let written: string[] = [];
    const streams = [follow(on, 'vic', () => written, 0), follow(on, 'vic', () => written)];
    await Promise.all(streams.map(({ ready }) => ready));
    const ids = Array.from({ length: 12 }, (_, at) => `feed-${count + at + 1}`);
    written = ids;
    for (let round = 0; round < 3; round += 1) await register(4);
    await Promise.all(streams.map(({ ended }) => ended));
    const [all, fresh] = streams.map(({ seen }) => seen);
    expect(fresh?.toSorted()).toEqual(ids.toSorted());
    expect(all?.filter((workId) => [...old, ...ids].includes(workId)).toSorted()).toEqual(
      [...old, ...ids].toSorted(),
    );
  });

  it('are told of their own tenant only, however far another one has gone', async () => {
    const { desk: on } = counted(3);
    await desk.owner.putPrincipal({ name: 'boss', roles: ['owner'], tenant: 'acme' });
    const boss = desk.box.as('boss', { tenant: 'acme' });
    const ending = new AbortController();
    const seen: string[] = [];
    const told = (async () => {
      const who = { tenant: 'acme', principal: 'boss' };
      for await (const event of events(on, who, {}, { signal: ending.signal })) {
        seen.push(event.workId ?? '');
        if (event.workId === 'acme-1') break;
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (let round = 0; round < 3; round += 1) await register(3);
    await boss.register({ workId: 'acme-1', input: {} });
    await told;
    // Where a stream begins is known to the moment only: what founded its principal may be told too.
    expect(seen.filter((workId) => workId !== '')).toEqual(['acme-1']);
  });

  it('end at once when they are told to, and when their principal is disabled', async () => {
    const { desk: on } = counted();
    const ending = new AbortController();
    const stopped = events(on, { tenant: 'default', principal: 'vic' }, {}, { signal: ending.signal });
    const next = stopped.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began_ms = performance.now();
    ending.abort();
    expect(await next).toMatchObject({ done: true });
    expect(performance.now() - began_ms).toBeLessThan(900);
    await desk.owner.putPrincipal({ name: 'gone', roles: ['viewer'] });
    const told = events(on, { tenant: 'default', principal: 'gone' }, {})
      .next()
      .then(
        () => 'told',
        (error: unknown) => (error as { code: string }).code,
      );
    const last = `feed-${count + 1}`;
    const others = follow(on, 'vic', () => [last]);
    await others.ready;
    await desk.owner.disablePrincipal('gone');
    await register(1);
    expect(await told).toBe('UNAUTHENTICATED');
    await others.ended;
  });
});
