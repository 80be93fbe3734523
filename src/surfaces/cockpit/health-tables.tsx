import type { Door } from '../../operations/door.js';
import type { Say } from './language.js';
import { span } from './time.js';

type Stats = Awaited<ReturnType<Door['stats']>>;

interface TableProps {
  readonly t: Say;
  readonly stats: Stats;
}

const spanOf = (t: Say, value_ms: number | null): string => (value_ms === null ? '–' : span(t, value_ms));

/** How every kind of work stands. */
export function KindsTable({ t, stats }: TableProps) {
  if (!('kinds' in stats) || stats.kinds.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="kinds-title">
      <h2 id="kinds-title">{t('health.kinds')}</h2>
      <div class="scroll" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('work.kind')}</th>
              {(
                ['open', 'unowned', 'overdue', 'rework_rounds', 'ended_30', 'dwell_p50', 'dwell_p95'] as const
              ).map((name) => (
                <th scope="col" class="number">
                  {t(`health.col.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {stats.kinds.map((kind) => (
              <tr>
                <th scope="row">
                  {kind.kind}
                  {kind.class ? <span class="sub">{kind.class}</span> : null}
                </th>
                <td class="number">{kind.open}</td>
                <td class="number">{kind.unowned}</td>
                <td class="number">{kind.overdue > 0 ? <strong class="bad">{kind.overdue}</strong> : 0}</td>
                <td class="number">{kind.reworkRounds}</td>
                <td class="number">{kind.ended}</td>
                <td class="number">{spanOf(t, kind.dwellP50_ms)}</td>
                <td class="number">{spanOf(t, kind.dwellP95_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Workers side by side, on the same measures. */
export function HoldersTable({ t, stats }: TableProps) {
  if (!('holders' in stats) || stats.holders.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="holders-title">
      <h2 id="holders-title">{t('health.holders')}</h2>
      <div class="scroll" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('work.holder')}</th>
              {(
                [
                  'claimed',
                  'completed',
                  'reworked',
                  'late',
                  'stale',
                  'duplicate',
                  'expired',
                  'time_p50',
                ] as const
              ).map((name) => (
                <th scope="col" class="number">
                  {t(`health.col.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {stats.holders.map((holder) => (
              <tr>
                <th scope="row">{holder.holder}</th>
                <td class="number">{holder.claimed}</td>
                <td class="number">{holder.completed}</td>
                <td class="number">{holder.reworked}</td>
                <td class="number">{holder.turnedAway.late}</td>
                <td class="number">{holder.turnedAway.stale}</td>
                <td class="number">{holder.turnedAway.duplicate}</td>
                <td class="number">{holder.expired}</td>
                <td class="number">{spanOf(t, holder.claimToAcceptedP50_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
