import { INVARIANTS } from './invariants.js';
import { RULES, type Rule } from '../src/core/guard.js';
import { ACTORS, START, steps, type Step, type World } from './model.js';

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** True when there was nothing left to visit within the bounds of the model. */
  readonly exhausted: boolean;
  readonly violation: { readonly invariant: string; readonly trace: readonly string[] } | null;
}

export interface Bounds {
  readonly depth: number;
  readonly states: number;
  /** The guard's rules; a proof that takes one away says so here. */
  readonly rules?: readonly Rule[];
}

interface Node {
  readonly world: World;
  readonly parent: Node | null;
  readonly label: string;
}

/** Walks every interleaving, breadth first, to a depth or a number of states; stops at the first broken invariant with the shortest way to it. */
export function explore(
  bounds: Bounds,
  onLevel: (depth: number, states: number, frontier: number) => void = () => undefined,
): Exploration {
  const seen = new Set<string>([keyOf(START)]);
  let frontier: Node[] = [{ world: START, parent: null, label: 'a work is registered' }];
  let transitions = 0;
  for (let depth = 1; depth <= bounds.depth && frontier.length > 0; depth += 1) {
    const next: Node[] = [];
    for (const node of frontier) {
      for (const step of stepsOrFault(node.world, bounds.rules ?? RULES)) {
        if (step instanceof Error)
          return {
            states: seen.size,
            transitions,
            depth,
            exhausted: false,
            violation: { invariant: `the table is complete: ${step.message}`, trace: traceOf(node) },
          };
        transitions += 1;
        const broken = INVARIANTS.find((invariant) => !invariant.holds(node.world, step));
        const reached: Node = { world: step.next, parent: node, label: step.label };
        if (broken)
          return {
            states: seen.size,
            transitions,
            depth,
            exhausted: false,
            violation: { invariant: broken.name, trace: traceOf(reached) },
          };
        const key = keyOf(step.next);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(reached);
        if (seen.size >= bounds.states)
          return { states: seen.size, transitions, depth, exhausted: false, violation: null };
      }
    }
    onLevel(depth, seen.size, next.length);
    frontier = next;
  }
  return {
    states: seen.size,
    transitions,
    depth: bounds.depth,
    exhausted: frontier.length === 0,
    violation: null,
  };
}

function keyOf({ position, pending, lease, views, answered, lastAnswered, artifacts }: World): string {
  const p = position;
  return JSON.stringify([
    p.status,
    p.round,
    p.step,
    p.inputVersion,
    p.artifact?.sha256,
    p.author?.actor,
    p.holder?.principal,
    p.gate,
    p.approval,
    p.returnTo,
    pending,
    lease,
    ACTORS.map((actor) => views[actor.principal]),
    Object.values(answered),
    lastAnswered,
    artifacts,
  ]);
}

function traceOf(node: Node): string[] {
  return node.parent ? [...traceOf(node.parent), node.label] : [node.label];
}

/** An accepted answer that the state machine cannot take is as much a violation as a broken invariant. */
function* stepsOrFault(world: World, rules: readonly Rule[]): Generator<Step | Error> {
  try {
    yield* steps(world, rules);
  } catch (error) {
    yield error instanceof Error ? error : new Error(String(error));
  }
}
