import { createXXHash128 } from 'hash-wasm';
import { v5 } from 'uuid';
import type { NewCheckpoint, ThreadHead, ThreadStep, ThreadWait, Versions } from '../core/thread.js';
import { isTerminal, type Position, type Status } from '../core/work.js';

/**
 * The checkpoint that LangGraph 1.7 writes for a run of the work graph, computed without its runner: channels have
 * versions, a node has seen the version of the edge that led to it, a superstep raises what it touched. Nothing here
 * decides anything about a work. A test holds every move of the transition table beside LangGraph's own. (docs/decisions/0085)
 */

/** One node's pass: where the thread stood, and where it stands after. */
export interface Hop {
  readonly from: Status;
  readonly to: Position;
}

const edgeTo = (status: Status): string => `branch:to:${status}`;

/** LangGraph's names for its own parts. */
const START = '__start__';
const INPUT = '__input__';
const INTERRUPT = '__interrupt__';
const SENDS = '__pregel_tasks';
const PULL = '__pregel_pull';

/** A thread's first step: the input is taken in, and the first node is reached. */
export function firstStep(position: Position, asks: Asks, newId: NewId): ThreadStep {
  const edge = edgeTo(position.status);
  const versions = { [START]: 2, work: 2, [edge]: 2 };
  return stepTo({
    step: 0,
    position,
    edge: [edge, START],
    versions,
    changed: versions,
    seen: { [INPUT]: {}, [START]: { [START]: 1 } },
    asks,
    newId,
  });
}

/** What a wait shows and takes, when a thread comes to rest in a position. */
export type Asks = (position: Position) => { readonly value: unknown; readonly response_schema: unknown };

/** Makes a checkpoint's ID, which sorts by time and, within a moment, by step. */
export type NewId = (step: number) => string;

/** The step of a thread that was resumed and passed through `hops`, the first from where it waited. */
export function nextStep(head: ThreadHead, hops: readonly Hop[], asks: Asks, newId: NewId): ThreadStep {
  const versions: Record<string, number> = { ...head.versions };
  const changed: Record<string, number> = {};
  const seen: Record<string, Versions> = {
    ...head.seen,
    // A resume notes what was there when it came.
    [INTERRUPT]: { ...head.seen[INTERRUPT], ...head.versions },
  };
  const last = hops.at(-1);
  if (!last) throw new Error('a step needs at least one hop');
  for (const { from, to } of hops) {
    const taken = edgeTo(from);
    seen[from] = { ...seen[from], [taken]: versions[taken] ?? 0 };
    const next = Math.max(...Object.values(versions)) + 1;
    // The edge that was taken is emptied, the state and the next edge are written, all in one superstep.
    for (const channel of [taken, 'work', ...(isTerminal(to.status) ? [] : [edgeTo(to.status)])]) {
      versions[channel] = next;
      changed[channel] = next;
    }
  }
  const position = last.to;
  return stepTo({
    step: head.step + hops.length,
    position,
    edge: isTerminal(position.status) ? null : [edgeTo(position.status), last.from],
    versions,
    changed,
    seen,
    asks,
    newId,
  });
}

interface Arrival {
  readonly step: number;
  readonly position: Position;
  /** The edge that leads to where the thread rests, and the node it comes from. */
  readonly edge: readonly [channel: string, from: string] | null;
  readonly versions: Versions;
  readonly changed: Versions;
  readonly seen: Readonly<Record<string, Versions>>;
  readonly asks: Asks;
  readonly newId: NewId;
}

function stepTo({ step, position, edge, versions, changed, seen, asks, newId }: Arrival): ThreadStep {
  const checkpoint: NewCheckpoint = {
    v: 4,
    id: newId(step),
    ts: new Date().toISOString(),
    channel_values: { work: position, [SENDS]: [], ...(edge ? { [edge[0]]: edge[1] } : {}) },
    channel_versions: versions,
    versions_seen: seen,
  };
  return {
    position,
    checkpoint,
    metadata: { source: 'loop', step, parents: {} },
    changed,
    wait: edge ? waitAt(position, step + 1, checkpoint.id, edge[0], asks) : null,
  };
}

/** The IDs are LangGraph's: the task's from the checkpoint it stands on, the interrupt's from the task's. */
function waitAt(
  position: Position,
  step: number,
  checkpointId: string,
  edge: string,
  asks: Asks,
): ThreadWait {
  const node = position.status;
  const taskId = v5(JSON.stringify([node, String(step), node, PULL, [edge]]), checkpointId);
  const interruptId = xxh128.init().update(`${node}:${taskId}`).digest('hex');
  return { taskId, interruptId, interrupt: { id: interruptId, ...asks(position) } };
}

const xxh128 = await createXXHash128(0, 0);
