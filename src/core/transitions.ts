import { CLAIMABLE_STATUSES, STATUSES, type Role, type Status } from './work.js';

/**
 * THE table: which action exists in which status, and where it may lead. The guard, the graph's edges,
 * the diagram in the docs, the Mermaid in the cockpit and `signalbox rules` all read this and nothing else.
 */
export const ACTIONS = [
  'promote',
  'claim',
  'result',
  'release',
  'handoff',
  'investigate',
  'validated',
  'review',
  'decide',
  'complete',
  'observe',
  'asset',
  'hold',
  'resume',
  'block',
  'unblock',
  'cancel',
  'escalate',
  'doubt',
  'reconcile',
  'correct',
] as const;
export type Action = (typeof ACTIONS)[number];

interface StatusRule {
  readonly waitsFor: string;
  readonly next: Partial<Record<Action, readonly Status[]>>;
}

const PARK = { hold: ['HOLD'], block: ['BLOCKED'] } as const satisfies StatusRule['next'];

export const TRANSITIONS: Record<Status, StatusRule> = {
  DISCOVERED: {
    waitsFor: 'triage',
    next: { promote: ['READY'], hold: ['HOLD'], cancel: ['CANCELLED'], correct: ['DISCOVERED'] },
  },
  READY: {
    waitsFor: 'a claim',
    next: {
      claim: ['IN_PROGRESS'],
      escalate: ['OWNER_GATE'],
      ...PARK,
      cancel: ['CANCELLED'],
      correct: ['READY'],
    },
  },
  IN_PROGRESS: {
    waitsFor: "the holder's result",
    next: {
      result: ['VALIDATION'],
      release: ['READY', 'REWORK', 'OUTCOME_UNKNOWN', 'OWNER_GATE'],
      handoff: ['IN_PROGRESS', 'READY', 'REWORK', 'OUTCOME_UNKNOWN', 'OWNER_GATE'],
      investigate: ['VALIDATION', 'READY', 'REWORK', 'OUTCOME_UNKNOWN', 'OWNER_GATE'],
      doubt: ['OUTCOME_UNKNOWN'],
      ...PARK,
      correct: ['IN_PROGRESS'],
    },
  },
  VALIDATION: {
    waitsFor: "nobody: runs the kind's validators",
    next: { validated: ['VP_REVIEW', 'MERGE_READY', 'OWNER_GATE', 'REWORK', 'BLOCKED'] },
  },
  VP_REVIEW: {
    waitsFor: 'a verdict with artifactSha256 and evidenceRef',
    next: {
      review: ['MERGE_READY', 'REWORK', 'OWNER_GATE'],
      ...PARK,
      correct: ['REWORK'],
    },
  },
  REWORK: {
    waitsFor: 'a claim; same workId, next round, findings attached',
    next: {
      claim: ['IN_PROGRESS'],
      escalate: ['OWNER_GATE'],
      ...PARK,
      cancel: ['CANCELLED'],
      correct: ['REWORK'],
    },
  },
  OWNER_GATE: {
    waitsFor: "the owner's decision on one named action",
    next: {
      decide: ['MERGE_READY', 'VP_REVIEW', 'READY', 'REWORK', 'HOLD', 'CANCELLED'],
      correct: ['READY', 'REWORK'],
    },
  },
  MERGE_READY: {
    waitsFor: 'the report that the result was merged, published or paid, with its external ID',
    next: {
      complete: ['OBSERVING', 'ASSET_GATE', 'DONE', 'REWORK', 'OWNER_GATE', 'OUTCOME_UNKNOWN'],
      doubt: ['OUTCOME_UNKNOWN'],
      escalate: ['OWNER_GATE'],
      ...PARK,
      correct: ['REWORK'],
    },
  },
  OBSERVING: {
    waitsFor: "an observation over the kind's window",
    next: { observe: ['ASSET_GATE', 'DONE', 'REWORK', 'OWNER_GATE'], ...PARK, correct: ['REWORK'] },
  },
  ASSET_GATE: {
    waitsFor: 'the record that keeps the result findable',
    next: { asset: ['DONE'], ...PARK, correct: ['REWORK'] },
  },
  BLOCKED: {
    waitsFor: 'an outside condition',
    next: {
      unblock: [
        'READY',
        'IN_PROGRESS',
        'VALIDATION',
        'VP_REVIEW',
        'REWORK',
        'MERGE_READY',
        'OWNER_GATE',
        'OBSERVING',
        'ASSET_GATE',
      ],
      cancel: ['CANCELLED'],
      correct: ['BLOCKED'],
    },
  },
  HOLD: {
    waitsFor: 'the end of an intentional pause',
    next: {
      resume: [
        'DISCOVERED',
        'READY',
        'IN_PROGRESS',
        'VP_REVIEW',
        'REWORK',
        'OWNER_GATE',
        'MERGE_READY',
        'OBSERVING',
        'ASSET_GATE',
      ],
      cancel: ['CANCELLED'],
      correct: ['HOLD'],
    },
  },
  OUTCOME_UNKNOWN: {
    waitsFor: 'evidence of what happened outside',
    next: {
      reconcile: ['OBSERVING', 'ASSET_GATE', 'DONE', 'READY', 'REWORK', 'OWNER_GATE'],
    },
  },
  DONE: { waitsFor: 'nothing', next: {} },
  CANCELLED: { waitsFor: 'nothing', next: {} },
};

/** Who may do an action at all, and what the guard asks of it beyond the right interrupt ID. */
export interface ActionRule {
  /** Roles that may try; an owner may try everything. */
  readonly roles: readonly Role[];
  /** Only the holder of the work's lease may do it. */
  readonly holderOnly: boolean;
  /** The author of the artifact may not do it (I9). */
  readonly separate: boolean;
  /** The answer must name the artifact that the checkpoint holds (I8, I7). */
  readonly namesArtifact: boolean;
  /** A person or process in the flow answers; false for what the graph does itself. */
  readonly external: boolean;
}

const rule = (roles: readonly Role[], more: Partial<ActionRule> = {}): ActionRule => ({
  roles,
  holderOnly: false,
  separate: false,
  namesArtifact: false,
  external: true,
  ...more,
});

export const ACTION_RULES: Record<Action, ActionRule> = {
  promote: rule(['operator']),
  claim: rule(['worker', 'reviewer', 'operator']),
  result: rule(['worker'], { holderOnly: true }),
  // A worker gives work back, a reviewer a judgement it has reserved.
  release: rule(['worker', 'reviewer'], { holderOnly: true }),
  handoff: rule(['worker', 'operator']),
  investigate: rule(['operator']),
  validated: rule([], { external: false }),
  review: rule(['reviewer'], { separate: true, namesArtifact: true }),
  // Everybody who works here may knock; the guard then says OWNER_ONLY, which tells more than FORBIDDEN.
  decide: rule(['worker', 'reviewer', 'operator'], { separate: true, namesArtifact: true }),
  complete: rule(['worker', 'operator'], { namesArtifact: true }),
  observe: rule(['reviewer', 'operator']),
  asset: rule(['worker', 'operator']),
  hold: rule(['operator']),
  resume: rule(['operator']),
  block: rule(['worker', 'operator']),
  unblock: rule(['worker', 'operator']),
  cancel: rule(['operator']),
  escalate: rule(['operator']),
  doubt: rule(['worker', 'operator']),
  reconcile: rule(['operator']),
  correct: rule(['scout', 'worker', 'operator']),
};

/** The actions that exist in a status, in the table's order. */
export function actionsIn(status: Status): Action[] {
  return ACTIONS.filter((action) => TRANSITIONS[status].next[action] !== undefined);
}

/** Every status a status may lead to, each once. */
export function successors(status: Status): Status[] {
  return [...new Set(Object.values(TRANSITIONS[status].next).flat())];
}

export function mayLead(from: Status, action: Action, to: Status): boolean {
  return TRANSITIONS[from].next[action]?.includes(to) ?? false;
}

/** The table as a Mermaid state diagram, `current` lit; parking edges are left out where `brief`. */
export function mermaid(options: { current?: Status; brief?: boolean } = {}): string {
  const lines = ['stateDiagram-v2', '  [*] --> DISCOVERED'];
  for (const from of STATUSES) {
    const byTarget = new Map<Status, Action[]>();
    for (const action of actionsIn(from)) {
      if (options.brief && ['hold', 'block', 'resume', 'unblock', 'cancel', 'correct'].includes(action))
        continue;
      for (const to of TRANSITIONS[from].next[action] ?? [])
        byTarget.set(to, [...(byTarget.get(to) ?? []), action]);
    }
    for (const [to, actions] of byTarget) lines.push(`  ${from} --> ${to}: ${actions.join(', ')}`);
  }
  lines.push('  DONE --> [*]', '  CANCELLED --> [*]');
  if (options.current)
    lines.push('  classDef current fill:#1f6feb,color:#fff', `  class ${options.current} current`);
  return lines.join('\n');
}

/** Claimable for work, which advances the thread; other statuses with a human wait can only be reserved. */
export function startsWork(status: Status): boolean {
  return (CLAIMABLE_STATUSES as readonly Status[]).includes(status);
}

/** Statuses whose judgement can be reserved by a claim, and given back by a release, that do not move the thread. */
export const RESERVABLE_STATUSES: readonly Status[] = ['VP_REVIEW', 'OWNER_GATE'];

/** Whether an action exists in a status: by the table, or as a reservation that moves nothing. */
export function existsIn(status: Status, action: Action): boolean {
  if (TRANSITIONS[status].next[action] !== undefined) return true;
  return (action === 'claim' || action === 'release') && RESERVABLE_STATUSES.includes(status);
}
