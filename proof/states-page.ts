import { ACTION_RULES, TRANSITIONS, actionsIn, mermaid } from '../src/core/transitions.js';
import { STATUSES } from '../src/core/work.js';

/** The state machine on one page, for people, generated from the one table. */
export function statesPage(): string {
  return [
    '# States',
    '',
    'Generated from `src/core/transitions.ts` by `npm run docs:states`; a test holds the two together.',
    '',
    '## Which status waits for what, and where it leads',
    '',
    ...table(
      ['status', 'waits for', 'action', 'may lead to'],
      STATUSES.flatMap((status) => {
        const { waitsFor, next } = TRANSITIONS[status];
        const actions = actionsIn(status);
        if (actions.length === 0) return [[status, waitsFor, '', 'nowhere: it has ended']];
        return actions.map((action, index) => [
          index === 0 ? status : '',
          index === 0 ? waitsFor : '',
          action,
          (next[action] ?? []).join(', '),
        ]);
      }),
    ),
    '',
    '## Who may do what',
    '',
    'An owner may try everything. `graph` is what the graph does by itself.',
    '',
    ...table(
      ['action', 'roles', 'holder only', 'not the author', 'names the artifact'],
      Object.entries(ACTION_RULES).map(([action, rule]) => [
        action,
        rule.external ? rule.roles.join(', ') : 'graph',
        rule.holderOnly ? 'yes' : '',
        rule.separate ? 'yes' : '',
        rule.namesArtifact ? 'yes' : '',
      ]),
    ),
    '',
    '## The way of a work',
    '',
    'Without pauses, cancellations and corrections:',
    '',
    '```mermaid',
    mermaid({ brief: true }),
    '```',
    '',
    '## Everything',
    '',
    '```mermaid',
    mermaid(),
    '```',
    '',
  ].join('\n');
}

/** A Markdown table as prettier lays it out. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
