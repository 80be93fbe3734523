import { hash } from 'node:crypto';
import { INVARIANTS } from './invariants.js';
import { RULES, type Rule } from '../src/core/guard.js';
import type { Caller } from '../src/core/work.js';
import { CASTS, START, USUAL_CAST, steps, type Step, type World } from './model.js';

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
  /** How many actors take part: an owner, the others work and review. */
  readonly actors?: number;
  /** The guard's rules; a proof that takes one away says so here. */
  readonly rules?: readonly Rule[];
}

interface Node {
  /** Null once everything that follows from it was tried: what is kept for the trace is the label alone. */
  world: World | null;
  readonly parent: Node | null;
  readonly label: string;
}

/** Walks every interleaving, breadth first, to a depth or a number of states; stops at the first broken invariant with the shortest way to it. */
export function explore(
  bounds: Bounds,
  onLevel: (depth: number, states: number, frontier: number) => void = () => undefined,
): Exploration {
  const cast = castOf(bounds.actors ?? USUAL_CAST);
  const seen = new Set<string>([keyOf(START, cast)]);
  let frontier: Node[] = [{ world: START, parent: null, label: 'a work is registered' }];
  let transitions = 0;
  for (let depth = 1; depth <= bounds.depth && frontier.length > 0; depth += 1) {
    const next: Node[] = [];
    for (const node of frontier) {
      const { world } = node;
      if (!world) continue;
      node.world = null;
      for (const step of stepsOrFault(world, cast, bounds.rules ?? RULES)) {
        if (step instanceof Error)
          return {
            states: seen.size,
            transitions,
            depth,
            exhausted: false,
            violation: { invariant: `the table is complete: ${step.message}`, trace: traceOf(node) },
          };
        transitions += 1;
        const broken = INVARIANTS.find((invariant) => !invariant.holds(world, step));
        const reached: Node = { world: step.next, parent: node, label: step.label };
        if (broken)
          return {
            states: seen.size,
            transitions,
            depth,
            exhausted: false,
            violation: { invariant: broken.name, trace: traceOf(reached) },
          };
        if (step.next === world) continue; // a refusal
        const key = keyOf(step.next, cast);
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

/** @throws Error for a number of actors that the model has no cast for */
function castOf(actors: number): readonly Caller[] {
  const cast = CASTS[actors];
  if (!cast) throw new Error(`the model has casts of ${Object.keys(CASTS).join(', ')} actors`);
  return cast;
}

/** Everything that tells two states apart, as 128 bits: among ten million states two share them once in 10^24 walks. */
function keyOf(
  { position, pending, lease, views, answered, lastAnswered, artifacts }: World,
  cast: readonly Caller[],
): string {
  const p = position;
  const text = JSON.stringify([
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
    cast.map((each) => views[each.principal]),
    Object.values(answered),
    lastAnswered,
    artifacts,
  ]);
  return hash('sha256', text, 'binary').slice(0, 16);
}

function traceOf(node: Node): string[] {
  return node.parent ? [...traceOf(node.parent), node.label] : [node.label];
}

/** An accepted answer that the state machine cannot take is as much a violation as a broken invariant. */
function* stepsOrFault(
  world: World,
  cast: readonly Caller[],
  rules: readonly Rule[],
): Generator<Step | Error> {
  try {
    yield* steps(world, cast, rules);
  } catch (error) {
    yield error instanceof Error ? error : new Error(String(error));
  }
}
