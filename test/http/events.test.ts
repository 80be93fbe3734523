import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal, connect } from '../../src/client.js';
import { openSignalbox } from '../../src/index.js';
import type { EventView } from '../../src/index.js';
import { serving, type Serving } from './serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving();
});
afterAll(() => here.close());

let count = 0;
const registerOne = async (): Promise<string> => {
  const workId = `e-${(count += 1)}`;
  await here.box.as('owner').register({ workId, input: count });
  return workId;
};

interface Stream {
  /** Blocks of the stream so far: the `id` and the event, or null for one without data. */
  readonly blocks: { id: number; event: EventView | null }[];
  until(done: (stream: Stream) => boolean): Promise<void>;
  stop(): void;
}

async function openStream(token: string, headers: Record<string, string> = {}): Promise<Stream> {
  const stopping = new AbortController();
  const response = await fetch(`${here.url}/v1/events`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: stopping.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const stream: Stream = {
    blocks: [],
    async until(done) {
      while (!done(stream)) {
        const part = await reader?.read();
        if (part === undefined || part.done) throw new Error('the stream ended');
        const texts = (rest + part.value).split('\n\n');
        rest = texts.pop() ?? '';
        for (const text of texts) {
          const id = /^id: (\d+)$/m.exec(text)?.[1];
          const data = /^data: (.*)$/m.exec(text)?.[1];
          if (id === undefined) continue;
          stream.blocks.push({
            id: Number(id),
            event: data === undefined ? null : (JSON.parse(data) as EventView),
          });
        }
      }
    },
    stop: () => stopping.abort(),
  };
  return stream;
}

const positionsOf = (stream: Stream): number[] =>
  stream.blocks.flatMap((block) => (block.event ? [block.event.position] : []));

describe('the event stream', () => {
  it('begins with what comes now, and says at once from where', async () => {
    await registerOne();
    const stream = await openStream(here.ownerToken);
    await stream.until(({ blocks }) => blocks.length > 0);
    expect(stream.blocks[0]?.event).toBeNull();
    const workId = await registerOne();
    await stream.until(({ blocks }) => blocks.some((block) => block.event?.workId === workId));
    expect(stream.blocks.filter((block) => block.event && block.event.workId !== workId)).toEqual([]);
    expect(stream.blocks.every((block) => !block.event || block.id === block.event.position)).toBe(true);
    stream.stop();
  });

  it('resumes after Last-Event-ID without a gap and without a repetition, while more is written all the time', async () => {
    const first = await openStream(here.ownerToken);
    await first.until(({ blocks }) => blocks.length > 0);
    const start = first.blocks[0]?.id ?? 0;
    const writing = { on: true };
    const writer = (async () => {
      while (writing.on) await registerOne();
    })();
    await first.until((stream) => positionsOf(stream).length >= 5);
    first.stop();
    const seen = positionsOf(first);
    let last = seen.at(-1) ?? start;
    for (let round = 0; round < 3; round += 1) {
      const next = await openStream(here.ownerToken, { 'last-event-id': String(last) });
      await next.until((stream) => positionsOf(stream).length >= 5);
      next.stop();
      seen.push(...positionsOf(next));
      last = seen.at(-1) ?? last;
    }
    writing.on = false;
    await writer;
    const all: number[] = [];
    const ending = new AbortController();
    for await (const event of here.box.as('owner').events({ after: start }, { signal: ending.signal })) {
      all.push(event.position);
      if (event.position >= last) break;
    }
    expect(seen).toEqual(all);
  });

  it('shows what another process writes to the same folder', async () => {
    const stream = await openStream(here.ownerToken);
    const second = await openSignalbox({ dataDir: here.dataDir, recover: false });
    await second.as('owner').register({ workId: 'from-outside', input: 1 });
    await stream.until(({ blocks }) => blocks.some((block) => block.event?.workId === 'from-outside'));
    expect(stream.blocks.at(-1)?.event?.by).toBe('owner');
    stream.stop();
    await second.close();
  });

  it('gives a scout the events of its own works only', async () => {
    const token = await here.tokenOf('sam', ['scout']);
    const stream = await openStream(token, { 'last-event-id': '0' });
    await registerOne();
    await connect({ url: here.url, token }).register({ workId: 'sams', input: 1 });
    await stream.until(({ blocks }) => blocks.some((block) => block.event?.type !== undefined));
    expect(new Set(stream.blocks.flatMap((block) => block.event?.workId ?? []))).toEqual(new Set(['sams']));
    stream.stop();
  });

  it('ends with the token: what happens after its revocation is not told', async () => {
    const owner = here.box.as('owner');
    await here.tokenOf('vera', ['viewer']);
    const made = await owner.createToken({ principal: 'vera' });
    const stream = await openStream(made.token);
    await stream.until(({ blocks }) => blocks.length > 0);
    await owner.revokeToken(made.tokenId);
    await registerOne();
    await expect(stream.until(() => false)).rejects.toThrow('ended');
    expect(positionsOf(stream)).toEqual([]);
  });

  it('turns a Last-Event-ID away that is none', async () => {
    const answer = await here.call('GET', '/v1/events', { headers: { 'last-event-id': 'x' } });
    expect([answer.status, answer.body.code]).toEqual([422, 'INVALID']);
  });

  it('comes through the client as an iterator, which ends when asked and refuses without rights', async () => {
    const owner = await here.as('owner');
    const ending = new AbortController();
    const seen: string[] = [];
    const before = (await owner.list({ limit: 1 })).total;
    for await (const event of owner.events({ after: 0 }, { signal: ending.signal })) {
      if (event.seq === 1 && event.workId !== null) seen.push(event.workId);
      if (seen.length === before) ending.abort();
    }
    expect(new Set(seen).size).toBe(before);
    const nobody = connect({ url: here.url, token: 'sbx_wrong' });
    await expect(nobody.events().next()).rejects.toBeInstanceOf(Refusal);
  });
});
