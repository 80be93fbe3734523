import Database from 'better-sqlite3';
import { join } from 'node:path';
import { Command, MemorySaver } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileGraph, type CompiledWorkGraph } from '../../src/graph/graph.js';
import { findWork } from '../../src/ledger/reads.js';
import { waitIdOf, type Position } from '../../src/core/work.js';
import { positionOf } from '../../src/ledger/rows.js';
import type { WorkView } from '../../src/operations/views.js';
import { BEGINNING, hashOf } from '../core/positions.js';
import {
  deskBox,
  faults,
  handIn,
  inProgress,
  stored,
  verdictOn,
  waitOf,
  type DeskBox,
} from '../support/desk-box.js';

const ANN = { principal: 'ann', actor: 'ann' };
const RITA = { principal: 'rita', actor: 'rita' };

type Given = Record<string, unknown>;

/** What a well-informed stranger would send: everything the wait shows, and an answer. */
const answerTo = (position: Position, answer: Given) => ({
  waitId: waitIdOf(position),
  inputVersion: position.inputVersion,
  artifactSha256: position.artifact?.sha256 ?? null,
  answer,
});
const result = (sha256: string, by = ANN): Given => ({ action: 'result', by, artifact: { sha256 } });
const pass = (by = RITA): Given => ({
  action: 'review',
  by,
  verdict: 'PASS',
  evidenceRef: 'log:1',
  findings: [],
  reason: 'r',
});

const onThread = (thread_id: string, more: Given = {}) => ({ configurable: { thread_id, ...more } });

const invoke = (graph: CompiledWorkGraph, threadId: string, resume: unknown, more: Given = {}) =>
  graph.invoke(new Command({ resume }), onThread(threadId, more));

const armed = async (graph: CompiledWorkGraph, threadId: string) => {
  const state = await graph.getState(onThread(threadId));
  const { work } = state.values as { work: Position };
  return {
    checkpoint: state.config.configurable?.['checkpoint_id'] as string,
    interrupts: state.tasks.flatMap((task) => task.interrupts.map((each) => each.id)),
    status: work.status,
    step: work.step,
  };
};

/** Resumes that must not do anything, by name. `right` is the answer that fits, `past` one for an earlier wait. */
const wrongAnswers = (position: Position, interruptId: string, past: string, right: Given) => {
  const whole = answerTo(position, right);
  return [
    ['a map with an interrupt ID that is past', { [past]: whole }],
    ['a bare value', 'approved'],
    ['a bare true', true],
    ['a bare answer without its wait', right],
    ['the wait of the step before', { ...whole, waitId: waitIdOf({ ...position, step: position.step - 1 }) }],
    ['the wait of another work', { ...whole, waitId: waitIdOf({ ...position, workId: 'other' }) }],
    ['another input version', { ...whole, inputVersion: position.inputVersion + 1 }],
    ['another artifact', { ...whole, artifactSha256: hashOf(9) }],
    ['an action that does not exist here', answerTo(position, { action: 'asset', by: ANN })],
    ['a verdict in place of a result', answerTo(position, pass())],
    [
      'what the graph says to itself',
      answerTo(position, { action: 'validated', outcome: 'passed', findings: [] }),
    ],
    ['an answer from nobody', answerTo(position, { ...right, by: undefined })],
    ['an answer for a known ID that does not fit', { [interruptId]: 'x' }],
  ] as const;
};

describe('a graph on a saver of its own, where no desk stands before it', () => {
  const ports = {
    policyOf: () => ({
      skips: ['OBSERVING', 'ASSET_GATE'] as const,
      roundLimit: 3,
      completion: 'merge',
      ownerOnly: [],
    }),
    validate: () => Promise.resolve({ outcome: 'passed' as const, findings: [] }),
  };
  const graph = compileGraph(ports, new MemorySaver());
  const thread = '11111111-1111-5111-8111-111111111111';
  const position = async () => ((await graph.getState(onThread(thread))).values as { work: Position }).work;

  /** Wrong ones first, each leaving the wait as it was; then the right one. */
  async function answerRightly(right: Given, past: string): Promise<string> {
    const here = await position();
    const before = await armed(graph, thread);
    const interruptId = before.interrupts[0] ?? '';
    const wrong = wrongAnswers(here, interruptId, past, right).filter(
      ([name]) => !(name.startsWith('a verdict') && here.status === 'VP_REVIEW'),
    );
    for (const [name, resume] of wrong) {
      // An ID that nobody waits for is ignored by LangGraph, everything else is refused by the wait's schema.
      await invoke(graph, thread, resume).catch(() => undefined);
      expect({ after: name, ...(await armed(graph, thread)) }).toEqual({ after: name, ...before });
    }
    await invoke(graph, thread, { [interruptId]: answerTo(here, right) });
    expect((await armed(graph, thread)).step).toBeGreaterThan(before.step);
    return interruptId;
  }

  it('turns every wrong answer away and takes the right one, through two rounds', async () => {
    await graph.invoke({ work: BEGINNING }, onThread(thread));
    let past = 'f'.repeat(32);
    past = await answerRightly({ action: 'promote', by: ANN }, past);
    past = await answerRightly({ action: 'claim', by: ANN }, past);
    past = await answerRightly(result(hashOf(1)), past);
    expect((await position()).status).toBe('VP_REVIEW');
    const rework = { ...pass(), verdict: 'REWORK', findings: [{ validator: 'r', path: '', message: 'm' }] };
    past = await answerRightly(rework, past);
    past = await answerRightly({ action: 'claim', by: ANN }, past);
    past = await answerRightly(result(hashOf(2)), past);
    expect(await position()).toMatchObject({
      status: 'VP_REVIEW',
      round: 2,
      artifact: { sha256: hashOf(2) },
    });
    past = await answerRightly(pass(), past);
    expect((await position()).status).toBe('MERGE_READY');
  });

  it("turns away another worker's result and the author's own verdict", async () => {
    const other = '22222222-2222-5222-8222-222222222222';
    const at: Position = { ...BEGINNING, status: 'IN_PROGRESS', holder: ANN };
    await graph.invoke({ work: at }, onThread(other));
    const bob = { principal: 'bob', actor: 'bob' };
    await expect(invoke(graph, other, answerTo(at, result(hashOf(1), bob)))).rejects.toThrow(
      /who may give it/,
    );
    await invoke(graph, other, answerTo(at, result(hashOf(1))));
    const review = ((await graph.getState(onThread(other))).values as { work: Position }).work;
    await expect(invoke(graph, other, answerTo(review, pass(ANN)))).rejects.toThrow(/who may give it/);
    await expect(
      invoke(graph, other, answerTo(review, pass({ principal: 'ann-reviews', actor: 'ann' }))),
    ).rejects.toThrow(/who may give it/);
    expect((await armed(graph, other)).status).toBe('VP_REVIEW');
  });
});

describe("the desk's own threads, resumed past the desk", () => {
  let desk: DeskBox;
  let work: WorkView;
  let sha256: string;
  let plain: CompiledWorkGraph;
  let connection: Database.Database;

  beforeAll(async () => {
    desk = await deskBox({ recover: false });
    work = await inProgress(desk, 'raw');
    sha256 = await stored(desk, '{"raw":1}');
    connection = new Database(join(desk.dataDir, 'signalbox.db'), { timeout: 5_000 });
    plain = compileGraph(
      {
        policyOf: (name) => {
          const kind = desk.box.config.kinds.get(name);
          if (!kind) throw new Error(`no kind ${name}`);
          return kind;
        },
        validate: () => Promise.resolve({ outcome: 'passed', findings: [] }),
      },
      new SqliteSaver(connection),
    );
  });
  afterAll(async () => {
    connection.close();
    await desk.close();
  });

  const row = async () => {
    const found = await desk.box.desk.store.read(() => findWork('default', 'raw'));
    if (!found) throw new Error('no work raw');
    return found;
  };
  const checkpoints = () =>
    connection.prepare('SELECT count(*) AS count FROM checkpoints WHERE thread_id = ?').get(work.threadId);

  it('stay as they are, whatever is sent and through whatever saver; then the right answer at the desk works', async () => {
    const before = await row();
    const seen = await armed(await desk.box.graph(), work.threadId);
    const count = checkpoints();
    const position = positionOf(before);
    const claimed = (await desk.owner.receipts('raw')).find((receipt) => receipt.action === 'claim');
    const right = result(sha256);
    const wrong = wrongAnswers(position, waitOf(work), claimed?.interruptId ?? '', right);
    const fitting = [
      ['a right-looking answer to the ID', { [waitOf(work)]: answerTo(position, right) }],
      ['a right-looking bare answer', answerTo(position, right)],
    ] as const;
    for (const graph of [await desk.box.graph(), plain]) {
      for (const [name, resume] of [...wrong, ...fitting]) {
        await invoke(graph, work.threadId, resume).catch(() => undefined);
        expect({ after: name, ...(await armed(await desk.box.graph(), work.threadId)) }).toEqual({
          after: name,
          ...seen,
        });
      }
      for (const [, resume] of fitting)
        await expect(invoke(graph, work.threadId, resume)).rejects.toThrow(/belongs to a work/);
      await expect(
        invoke(graph, work.threadId, answerTo(position, right), { signalbox_run: 'guessed' }),
      ).rejects.toThrow(/belongs to a work/);
      await graph.invoke({ work: position }, onThread(work.threadId)).catch(() => undefined);
      await graph
        .updateState(onThread(work.threadId), { work: { ...position, status: 'DONE' } })
        .catch(() => undefined);
    }
    expect(checkpoints()).toEqual(count);
    expect(await row()).toEqual(before);
    expect(await armed(plain, work.threadId)).toEqual(seen);
    const reviewed = await handIn(desk, work, '{"raw":1}');
    expect(reviewed).toMatchObject({ status: 'VP_REVIEW', artifactSha256: sha256 });
  });

  it('cannot be forked by two resumes at once', async () => {
    const count = checkpoints();
    const position = positionOf(await row());
    const twice = [pass(), { ...pass(), verdict: 'REWORK' }];
    const outcomes = await Promise.allSettled(
      twice.map((answer) => invoke(plain, work.threadId, answerTo(position, answer))),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(checkpoints()).toEqual(count);
    const now = await desk.owner.show('raw');
    const passed = await desk
      .as('rita')
      .review('raw', { ...verdictOn({ ...work, ...now, lease: null }, 'PASS') });
    expect(passed.work.status).toBe('MERGE_READY');
  });

  it('cannot be deleted, and what was tried leaves no trace that verify would find', async () => {
    const saver = (await desk.box.desk.checkpoints.langGraph()).saver;
    await expect(saver.deleteThread(work.threadId)).rejects.toThrow(/belongs to a work/);
    await expect(new SqliteSaver(connection).deleteThread(work.threadId)).rejects.toThrow(/is kept/);
    expect(await faults(desk)).toEqual([]);
  });
});
