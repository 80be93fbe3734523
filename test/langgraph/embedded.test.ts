import { Command, MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { createWorkGraph, defineKind, type Position } from '../../src/index.js';
import { sha256 } from '../../src/core/identity.js';

/** A graph with a checkpointer of its own, as a program that embeds it has it. */
function embedded() {
  const kinds = [
    defineKind({ name: 'note', skips: ['OBSERVING', 'ASSET_GATE'] }),
    defineKind({
      name: 'sum',
      identity: ['number'],
      artifact: { type: 'object', required: ['total'] },
    }),
  ];
  const graph = createWorkGraph({ kinds, checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 't-1' } };
  const waiting = async () => {
    const state = await graph.getState(config);
    const pending = state.tasks.flatMap((task) => task.interrupts)[0];
    return {
      position: (state.values as { work: Position }).work,
      id: pending?.id ?? '',
      shown: pending?.value as { exampleAnswers: Record<string, Envelope>; actions: string[] },
    };
  };
  const send = (value: unknown) => graph.invoke(new Command({ resume: value }) as never, config);
  return { graph, config, waiting, send, start: (input: unknown) => graph.invoke(input as never, config) };
}

interface Envelope {
  readonly waitId: string;
  readonly answer: Record<string, unknown>;
}

/** The example that a wait shows for an action, with some of its fields said otherwise. */
async function example(
  work: ReturnType<typeof embedded>,
  action: string,
  more: Record<string, unknown> = {},
): Promise<Envelope> {
  const found = (await work.waiting()).shown.exampleAnswers[action];
  if (!found) throw new Error(`no example for ${action}`);
  return { ...found, answer: { ...found.answer, ...more } };
}

const REQUEST = { request: { kind: 'note', workId: 'N-1', input: { about: 'x' } } };

describe('the graph in a program of its own', () => {
  it('goes from a plain request to DONE with nothing but the example answers it shows', async () => {
    const work = embedded();
    await work.start(REQUEST);
    const seen: string[] = [];
    for (const action of ['promote', 'claim', 'result', 'review', 'complete']) {
      seen.push((await work.waiting()).position.status);
      await work.send(await example(work, action));
    }
    expect(seen).toEqual(['DISCOVERED', 'READY', 'IN_PROGRESS', 'VP_REVIEW', 'MERGE_READY']);
    const { position } = await work.waiting();
    expect(position).toMatchObject({ status: 'DONE', workId: 'N-1', round: 1 });
    expect((await work.graph.getState(work.config)).next).toEqual([]);
  });

  it('takes the bytes of a result with the answer and lets the validators read them', async () => {
    const work = embedded();
    await work.start({ request: { kind: 'sum', input: { number: 7 } } });
    for (const action of ['promote', 'claim']) await work.send(await example(work, action));
    await work.send(await example(work, 'result', { content: '{"tota":1}' }));
    const { position } = await work.waiting();
    expect(position.status).toBe('REWORK');
    expect(position.findings).toMatchObject([{ validator: 'artifact' }]);
    await work.send(await example(work, 'claim'));
    await work.send(await example(work, 'result', { content: '{"total":1}' }));
    expect((await work.waiting()).position).toMatchObject({
      status: 'VP_REVIEW',
      artifact: { sha256: sha256('{"total":1}') },
    });
  });

  it('refuses content that is not what its declared hash says, and the wait stands', async () => {
    const work = embedded();
    await work.start(REQUEST);
    for (const action of ['promote', 'claim']) await work.send(await example(work, action));
    const before = await work.waiting();
    const lie = await example(work, 'result', { content: 'a', artifact: { sha256: sha256('b') } });
    await expect(work.send(lie)).rejects.toThrow(/sha256/);
    expect((await work.waiting()).id).toBe(before.id);
  });

  it('blocks where the bytes of a result are nowhere to be found', async () => {
    const work = embedded();
    await work.start(REQUEST);
    for (const action of ['promote', 'claim']) await work.send(await example(work, action));
    const { content, ...answer } = (await example(work, 'result')).answer;
    expect(content).toBeTypeOf('string');
    const shown = await example(work, 'result');
    await work.send({ ...shown, answer: { ...answer, artifact: { sha256: sha256('nowhere') } } });
    expect((await work.waiting()).position).toMatchObject({ status: 'BLOCKED', returnTo: 'VALIDATION' });
  });

  it('turns away what names no wait, another wait, another party or another action', async () => {
    const work = embedded();
    await work.start(REQUEST);
    const first = await example(work, 'promote');
    await work.send(first);
    await work.send(await example(work, 'claim'));
    const before = await work.waiting();
    const wrong = [
      'approve',
      first,
      { ...(await example(work, 'result')), inputVersion: 2 },
      await example(work, 'result', { by: { principal: 'mallory', actor: 'mallory' } }),
      {
        ...(await example(work, 'result')),
        answer: { action: 'promote', by: { principal: 'a', actor: 'a' } },
      },
    ];
    for (const value of wrong) {
      await expect(work.send(value)).rejects.toThrow(/"code":/);
      expect((await work.waiting()).id).toBe(before.id);
    }
  });

  it('does not begin again on plain input to a thread that has its work, whatever the input says', async () => {
    const work = embedded();
    await work.start(REQUEST);
    await work.send(await example(work, 'promote'));
    const before = await work.waiting();
    await work.start({
      request: { kind: 'note', workId: 'N-2', input: 1 },
      work: { ...before.position, status: 'DONE' },
    });
    expect((await work.waiting()).position).toEqual(before.position);
  });

  it('keeps a corrected input with its answer and goes on with the next version', async () => {
    const work = embedded();
    await work.start(REQUEST);
    const input = { about: 'y' };
    await work.send(await example(work, 'correct', { input }));
    expect((await work.waiting()).position).toMatchObject({
      status: 'DISCOVERED',
      inputVersion: 2,
      inputSha256: sha256('{"about":"y"}'),
    });
  });

  it('says what is wrong with a request that cannot become a work', async () => {
    const work = embedded();
    await expect(work.start({ request: { kind: 'nix', input: 1 } })).rejects.toThrow(/known: note, sum/);
    await expect(work.start({ request: { kind: 'sum', input: {} } })).rejects.toThrow(
      /request.input\/number/,
    );
    await expect(work.start({ request: { kind: 'note', input: {} } })).rejects.toThrow(/workId is required/);
    await work.start(REQUEST);
    expect((await work.waiting()).position.workId).toBe('N-1');
  });
});
