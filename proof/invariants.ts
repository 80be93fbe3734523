import { ACTION_RULES } from '../src/core/transitions.js';
import type { Step, World } from './model.js';
import { waitOf } from './model.js';

export interface Invariant {
  readonly name: string;
  /** Whether it holds on this step from `before`. */
  holds(before: World, step: Step): boolean;
}

const accepts = (step: Step): boolean => step.decided?.accepted === true;

/** The invariants of the design that the pure core can break. Each looks at one step. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'I2: a claim never takes a work that somebody holds and whose reservation runs',
    holds: (before, step) =>
      !(
        accepts(step) &&
        step.decided?.submission.action === 'claim' &&
        before.lease !== null &&
        !before.lease.expired
      ),
  },
  {
    name: 'I3: no wait is answered twice',
    holds: (before, step) =>
      !(
        accepts(step) &&
        step.next.pending !== before.pending &&
        before.answered[waitOf(before.position)] !== undefined
      ),
  },
  {
    name: 'I3: an accepted answer names the current wait, or none where none is asked for',
    holds: (before, step) => {
      const named = step.decided?.submission.interruptId;
      return !accepts(step) || named === undefined || named === waitOf(before.position);
    },
  },
  {
    name: 'I3: an accepted result is for the current input version, and from the holder within its lease',
    holds: (before, step) => {
      const submission = step.decided?.submission;
      if (!accepts(step) || submission?.action !== 'result') return true;
      return (
        submission.inputVersion === before.position.inputVersion &&
        before.lease?.holder === step.decided?.caller.principal &&
        before.lease?.expired === false
      );
    },
  },
  {
    name: 'I5: a refusal changes nothing',
    holds: (before, step) => step.decided?.accepted !== false || step.next === before,
  },
  {
    name: 'I6: an expiry moves nothing',
    holds: (before, step) => !step.label.startsWith('the lease') || step.next.position === before.position,
  },
  {
    name: 'I7: a gate is entered without an approval, and MERGE_READY only with one for these bytes',
    holds: (_before, { next: { position } }) => {
      if (position.status === 'OWNER_GATE') return position.approval === null;
      if (position.status !== 'MERGE_READY') return true;
      return (
        position.approval?.action === 'pay' && position.approval.artifactSha256 === position.artifact?.sha256
      );
    },
  },
  {
    name: 'I8: a verdict or decision is accepted only on the artifact the checkpoint holds',
    holds: (before, step) => {
      const submission = step.decided?.submission;
      if (!accepts(step) || !submission || !ACTION_RULES[submission.action].namesArtifact) return true;
      const named = 'artifactSha256' in submission ? (submission.artifactSha256 ?? null) : null;
      return named === (before.position.artifact?.sha256 ?? null);
    },
  },
  {
    name: 'I8: no verdict without evidence',
    holds: (_before, step) => {
      const submission = step.decided?.submission;
      return !(accepts(step) && submission?.action === 'review' && !submission.evidenceRef);
    },
  },
  {
    name: 'I9: nobody judges their own work',
    holds: (before, step) => {
      const action = step.decided?.submission.action;
      if (!accepts(step) || !action || !ACTION_RULES[action].separate) return true;
      return before.position.author?.actor !== step.decided?.caller.actor;
    },
  },
  {
    name: 'a reservation lasts as long as somebody works, and no longer',
    holds: (_before, { next }) =>
      next.pending !== null ||
      (next.position.holder !== null) === (next.lease !== null && !next.lease.judgement),
  },
  {
    name: 'IN_PROGRESS has a holder, the queue has none',
    holds: (_before, { next: { position } }) =>
      position.status === 'IN_PROGRESS'
        ? position.holder !== null
        : !['READY', 'REWORK', 'VP_REVIEW', 'MERGE_READY', 'DONE'].includes(position.status) ||
          position.holder === null,
  },
  {
    name: 'an artifact has an author, and no artifact outlives its input version',
    holds: (before, { next: { position } }) =>
      (position.artifact === null) === (position.author === null) &&
      (position.inputVersion === before.position.inputVersion || position.artifact === null),
  },
];
