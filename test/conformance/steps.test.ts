import { Command } from '@langchain/langgraph';
import { MemorySaver, type CheckpointTuple } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, FlowPolicy } from '../../src/core/advance.js';
import type { ThreadStep } from '../../src/core/thread.js';
import { ACTION_RULES, type Action } from '../../src/core/transitions.js';
import type { Verdict } from '../../src/core/verdict.js';
import { STATUSES, isTerminal, waitIdOf, type Position, type Status } from '../../src/core/work.js';
import { compileGraph } from '../../src/graph/graph.js';
import { Stepper, type Resume } from '../../src/graph/stepper.js';
import { headFrom } from '../../src/ledger/checkpoints.js';
import { BEGINNING, answerAt, choices, policies, type Choice } from '../core/positions.js';

/**
 * The desk's own steps beside LangGraph's runner: the same walk, answer by answer, from the same head. What the desk
 * would write must be what LangGraph wrote, to the last field.
 */
interface Seen {
  readonly statuses: Set<Status>;
  readonly actions: Set<Action>;
}

const THREAD = {
  configurable: { thread_id: '018f0000-0000-7000-8000-000000000001' },
  durability: 'exit',
} as const;

async function walkBoth(policy: FlowPolicy, walk: readonly Choice[], seen: Seen): Promise<void> {
  const saver = new MemorySaver();
  let verdict: Verdict = { outcome: 'passed', findings: [] };
  const ports = { policyOf: () => policy, validate: () => Promise.resolve(verdict) };
  const graph = compileGraph(ports, saver);
  const headNow = async (): Promise<CheckpointTuple> => {
    const tuple = await saver.getTuple(THREAD);
    if (!tuple) throw new Error('no checkpoint');
    return tuple;
  };

  await graph.invoke({ work: BEGINNING }, THREAD);
  let head = await headNow();
  expect(told(stepperFor(ports, head).begin(BEGINNING))).toEqual(written(head));
  for (const choice of walk) {
    const position = head.checkpoint.channel_values['work'] as Position;
    seen.statuses.add(position.status);
    if (isTerminal(position.status)) return;
    const answer = fitting(answerAt(position, choice), position, choice);
    if (!answer) continue;
    seen.actions.add(answer.action);
    verdict = { outcome: VERDICTS[choice.words % VERDICTS.length] ?? 'passed', findings: [] };
    const resume = {
      waitId: waitIdOf(position),
      inputVersion: position.inputVersion,
      artifactSha256: position.artifact?.sha256 ?? null,
      answer,
    } as Resume;
    await graph.invoke(new Command({ resume }), THREAD);
    const after = await headNow();
    const from = headFrom(head.checkpoint, head.metadata, position);
    expect(told(await stepperFor(ports, after).run(from, resume))).toEqual(written(after));
    expect(after.parentConfig?.configurable?.['checkpoint_id']).toBe(from.checkpointId);
    head = after;
  }
}

const VERDICTS = ['passed', 'findings', 'failed'] as const;

/** A stepper that gives its checkpoint LangGraph's ID, from which every other ID is made. */
function stepperFor(ports: ConstructorParameters<typeof Stepper>[0], head: CheckpointTuple): Stepper {
  return new Stepper(ports, () => head.checkpoint.id);
}

/** An answer that the graph's own guard takes too: from the holder, not from the author, with its evidence. */
function fitting(answer: Answer | null, position: Position, { by }: Choice): Answer | null {
  if (!answer || answer.action === 'validated') return null;
  const rules = ACTION_RULES[answer.action];
  if (!rules.external) return null;
  const who = rules.holderOnly && position.holder ? position.holder : by;
  if (rules.separate && position.author?.actor === who.actor) return null;
  const words =
    answer.action === 'review'
      ? { evidenceRef: 'log:1' }
      : answer.action === 'decide'
        ? { gateAction: position.gate?.action ?? '' }
        : {};
  return { ...answer, by: who, ...words };
}

function told({ checkpoint, metadata, wait }: ThreadStep): unknown {
  const { ts, ...rest } = checkpoint;
  void ts;
  const writes = wait ? [[wait.taskId, '__interrupt__', [wait.interrupt]]] : [];
  return asJson({ checkpoint: rest, metadata, writes });
}

function written({ checkpoint, metadata, pendingWrites }: CheckpointTuple): unknown {
  const { ts, ...rest } = checkpoint;
  void ts;
  return asJson({ checkpoint: rest, metadata, writes: pendingWrites });
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a step of the desk is the checkpoint that LangGraph writes', () => {
  it('on random walks over every sort of kind, which come to every status and take every action', async () => {
    const seen: Seen = { statuses: new Set(), actions: new Set() };
    await fc.assert(
      fc.asyncProperty(
        policies,
        fc.array(choices, { minLength: 10, maxLength: 40 }),
        async (policy, walk) => {
          await walkBoth(policy, walk, seen);
        },
      ),
      { numRuns: 60, seed: 4114 },
    );
    const rests = STATUSES.filter((status) => status !== 'VALIDATION');
    expect(rests.filter((status) => !seen.statuses.has(status))).toEqual([]);
    const given = Object.entries(ACTION_RULES).filter(([, rules]) => rules.external);
    expect(given.map(([action]) => action).filter((action) => !seen.actions.has(action as Action))).toEqual(
      [],
    );
  }, 60_000);

  it('and an answer that does not fit its wait makes none', async () => {
    const stepper = new Stepper({
      policyOf: () => ({ skips: [], roundLimit: 3, completion: 'pay', ownerOnly: [] }),
      validate: () => Promise.reject(new Error('not asked')),
    });
    const { position, checkpoint, metadata } = stepper.begin(BEGINNING);
    const head = headFrom(checkpoint, metadata, position);
    const right = {
      waitId: waitIdOf(position),
      inputVersion: 1,
      artifactSha256: null,
      answer: { action: 'promote', by: { principal: 'olga', actor: 'olga' } },
    } as const;
    expect(stepper.step(head, right)?.position.status).toBe('READY');
    const wrong: readonly (readonly [Partial<Resume>, RegExp])[] = [
      [{ waitId: 't/w#9' }, /waitId/],
      [{ inputVersion: 2 }, /inputVersion/],
      [{ artifactSha256: 'a'.repeat(64) }, /artifactSha256/],
      [{ answer: { action: 'claim', by: right.answer.by } }, /action/],
      [{ answer: { action: 'promote' } as unknown as Answer }, /by/],
    ];
    for (const [part, reason] of wrong)
      expect(() => stepper.step(head, { ...right, ...part })).toThrow(reason);
    await expect(stepper.run(head, { ...right, waitId: 't/w#9' })).rejects.toThrow(/waitId/);
  });
});
