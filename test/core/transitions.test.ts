import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { statesPage } from '../../proof/states-page.js';
import {
  ACTIONS,
  ACTION_RULES,
  TRANSITIONS,
  actionsIn,
  mayLead,
  mermaid,
  startsWork,
  successors,
} from '../../src/core/transitions.js';
import { STATUSES, TERMINAL_STATUSES, isTerminal, type Status } from '../../src/core/work.js';

const live = STATUSES.filter((status) => !isTerminal(status));

function reachableFrom(start: Status): Set<Status> {
  const seen = new Set<Status>([start]);
  const open = [start];
  for (let status = open.pop(); status !== undefined; status = open.pop()) {
    for (const next of successors(status)) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

describe('the table', () => {
  it('leads from DISCOVERED to every status', () => {
    const reached = reachableFrom('DISCOVERED');
    expect(STATUSES.filter((status) => !reached.has(status))).toEqual([]);
  });

  it.each(live)('has a way from %s to DONE and to CANCELLED', (status) => {
    const reached = reachableFrom(status);
    expect(TERMINAL_STATUSES.filter((end) => !reached.has(end))).toEqual([]);
  });

  it('has nothing after an end', () => {
    for (const end of TERMINAL_STATUSES) expect(actionsIn(end)).toEqual([]);
  });

  it('uses every action it names, and has a rule for each', () => {
    const used = new Set(STATUSES.flatMap(actionsIn));
    expect(ACTIONS.filter((action) => !used.has(action))).toEqual([]);
    expect(Object.keys(ACTION_RULES).toSorted()).toEqual([...ACTIONS].toSorted());
  });

  it('starts work by a claim alone, in READY and REWORK alone', () => {
    for (const from of STATUSES) {
      expect(mayLead(from, 'claim', 'IN_PROGRESS')).toBe(startsWork(from));
      const ways = actionsIn(from).filter((action) => mayLead(from, action, 'IN_PROGRESS'));
      const allowed = ['claim', 'handoff', 'resume', 'unblock', 'correct'];
      expect(ways.filter((action) => !allowed.includes(action))).toEqual([]);
    }
  });

  it('lets nothing out of the gate but a decision, or a correction that takes its question away', () => {
    expect(actionsIn('OWNER_GATE')).toEqual(['decide', 'correct']);
  });

  it('comes to DONE only from a completed, observed, kept or reconciled work', () => {
    const before = STATUSES.filter((status) => successors(status).includes('DONE'));
    expect(before).toEqual(['MERGE_READY', 'OBSERVING', 'ASSET_GATE', 'OUTCOME_UNKNOWN']);
  });

  it('leaves a pause only to where a pause can begin', () => {
    const pausable = (action: 'hold' | 'block', to: Status) =>
      STATUSES.filter((from) => mayLead(from, action, to));
    // An owner may pause at the gate too, and a validator that fails blocks a validation.
    const held = [...pausable('hold', 'HOLD'), 'OWNER_GATE'];
    const blocked = [...pausable('block', 'BLOCKED'), 'VALIDATION'];
    expect(held.filter((status) => !TRANSITIONS.HOLD.next.resume?.includes(status as Status))).toEqual([]);
    expect(blocked.filter((status) => !TRANSITIONS.BLOCKED.next.unblock?.includes(status as Status))).toEqual(
      [],
    );
  });
});

describe('the diagram', () => {
  it('draws every edge of the table, and no other', () => {
    const drawn = mermaid()
      .split('\n')
      .flatMap((line) => /^ {2}(\w+) --> (\w+): (.+)$/.exec(line)?.slice(1) ?? []);
    const edges: string[] = [];
    for (let index = 0; index < drawn.length; index += 3) {
      const [from, to, actions] = drawn.slice(index, index + 3);
      for (const action of actions?.split(', ') ?? []) edges.push(`${from} ${action} ${to}`);
    }
    const table = STATUSES.flatMap((from) =>
      actionsIn(from).flatMap((action) =>
        (TRANSITIONS[from].next[action] ?? []).map((to) => `${from} ${action} ${to}`),
      ),
    );
    expect(edges.toSorted()).toEqual(table.toSorted());
  });

  it('begins at DISCOVERED, ends where works end, and lights the current status', () => {
    const lines = mermaid({ current: 'VP_REVIEW', brief: true }).split('\n');
    expect(lines[0]).toBe('stateDiagram-v2');
    expect(lines).toContain('  [*] --> DISCOVERED');
    expect(lines).toContain('  DONE --> [*]');
    expect(lines.at(-1)).toBe('  class VP_REVIEW current');
    expect(lines.some((line) => line.includes('hold'))).toBe(false);
  });

  it('is on the page that people read, up to date (npm run docs:states writes it)', () => {
    expect(readFileSync('docs/states.md', 'utf8')).toBe(statesPage());
  });
});
