import { STATUSES, type Status } from '../../core/work.js';
import { actionsIn, successors, TRANSITIONS } from '../../core/transitions.js';
import { sayOr, type Say } from './language.js';

/** Where each status stands in the drawing: column and row. The edges come from the table. */
const PLACES: Readonly<Record<Status, readonly [column: number, row: number]>> = {
  DISCOVERED: [0, 0],
  READY: [1, 0],
  IN_PROGRESS: [2, 0],
  VALIDATION: [3, 0],
  VP_REVIEW: [4, 0],
  MERGE_READY: [5, 0],
  OBSERVING: [6, 0],
  ASSET_GATE: [7, 0],
  DONE: [8, 0],
  REWORK: [3, 1],
  OWNER_GATE: [5, 1],
  OUTCOME_UNKNOWN: [2, 2],
  BLOCKED: [1, 2],
  HOLD: [0, 2],
  CANCELLED: [8, 2],
};
const COLUMN = 124;
const ROW = 84;
const NODE = { width: 110, height: 36 };
const SIZE = { width: 9 * COLUMN, height: 3 * ROW - 24 };

/** Moves to and from these clutter every picture; they are drawn only where the work stands. */
const QUIET: ReadonlySet<Status> = new Set(['BLOCKED', 'HOLD', 'CANCELLED', 'OUTCOME_UNKNOWN']);

interface GraphProps {
  readonly t: Say;
  readonly current: Status;
  /** Statuses the work has been in. */
  readonly visited: ReadonlySet<string>;
}

/** The table of states as a picture, with the work's place lit and the ways out of it drawn strongly. */
export function StatusGraph({ t, current, visited }: GraphProps) {
  const edges = STATUSES.flatMap((from) => successors(from).map((to) => ({ from, to }))).filter(
    ({ from, to }) => from !== to && (from === current || (!QUIET.has(from) && !QUIET.has(to))),
  );
  return (
    <figure class="graph">
      <div class="scroll" tabindex={0}>
        <svg
          viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
          role="img"
          aria-label={t('work.legend', { status: t(`status.${current}`) })}
        >
          {edges.map(({ from, to }) => (
            <path class={from === current ? 'edge edge-out' : 'edge'} d={curve(from, to)} />
          ))}
          {STATUSES.map((status) => (
            <Node t={t} status={status} current={current} visited={visited.has(status)} />
          ))}
        </svg>
      </div>
      <figcaption>
        <strong>{t('work.legend', { status: t(`status.${current}`) })}</strong>
        <WaysOut t={t} current={current} />
      </figcaption>
    </figure>
  );
}

function Node({
  t,
  status,
  current,
  visited,
}: {
  t: Say;
  status: Status;
  current: Status;
  visited: boolean;
}) {
  const { x, y } = centre(status);
  const kind = status === current ? 'node node-current' : visited ? 'node node-visited' : 'node';
  return (
    <g class={kind}>
      <title>{status}</title>
      <rect x={x - NODE.width / 2} y={y - NODE.height / 2} width={NODE.width} height={NODE.height} rx={7} />
      <text x={x} y={y + 4} text-anchor="middle">
        {t(`status.${status}`)}
      </text>
    </g>
  );
}

/** The same in words, for whoever does not look at pictures. */
function WaysOut({ t, current }: { readonly t: Say; readonly current: Status }) {
  const actions = actionsIn(current).filter((action) => action !== 'correct');
  if (actions.length === 0) return null;
  return (
    <ul class="ways">
      {actions.map((action) => (
        <li>
          {sayOr(t, `act.${action}`, action)} →{' '}
          {(TRANSITIONS[current].next[action] ?? []).map((to) => t(`status.${to}`)).join(', ')}
        </li>
      ))}
    </ul>
  );
}

function centre(status: Status): { x: number; y: number } {
  const [column, row] = PLACES[status];
  return { x: column * COLUMN + COLUMN / 2, y: row * ROW + NODE.height };
}

/** A line to the next place in the same row, an arc to a farther one, a slope between rows. */
function curve(from: Status, to: Status): string {
  const a = centre(from);
  const b = centre(to);
  const direction = Math.sign(b.x - a.x);
  if (a.y === b.y) {
    const apart = Math.abs(PLACES[from][0] - PLACES[to][0]);
    if (apart === 1)
      return `M ${a.x + (direction * NODE.width) / 2} ${a.y} L ${b.x - (direction * NODE.width) / 2} ${b.y}`;
    const top = a.y - NODE.height / 2;
    const lift = Math.min(14 + apart * 3, 30);
    return `M ${a.x} ${top} C ${a.x} ${top - lift}, ${b.x} ${top - lift}, ${b.x} ${top}`;
  }
  const down = Math.sign(b.y - a.y);
  const start = { x: a.x + direction * 12, y: a.y + (down * NODE.height) / 2 };
  const end = { x: b.x - direction * 12, y: b.y - (down * NODE.height) / 2 };
  const middle = (start.y + end.y) / 2;
  return `M ${start.x} ${start.y} C ${start.x} ${middle}, ${end.x} ${middle}, ${end.x} ${end.y}`;
}
