import type { Say } from './language.js';

interface Series {
  readonly name: string;
  /** One value a day; null where there is none to show. */
  readonly values: readonly (number | null)[];
  readonly tone: 'first' | 'second';
}

interface ChartProps {
  readonly t: Say;
  readonly title: string;
  readonly dates: readonly string[];
  readonly series: readonly Series[];
  /** How a value is written. */
  readonly shown: (value: number) => string;
}

const SIZE = { width: 420, height: 150, foot: 18, head: 16 };

/** Bars by day, drawn here so that the page needs no script for them; the numbers themselves are in the table below. */
export function DayChart({ t, title, dates, series, shown }: ChartProps) {
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const slot = SIZE.width / Math.max(1, dates.length);
  const bar = (slot * 0.72) / series.length;
  const full = SIZE.height - SIZE.foot - SIZE.head;
  return (
    <figure class="panel chart">
      <figcaption>
        <strong>{title}</strong>
        {series.length > 1
          ? series.map(({ name, tone }) => <span class={`key key-${tone}`}>{name}</span>)
          : null}
      </figcaption>
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label={title}>
        <text class="axis" x={0} y={11}>
          {shown(most)}
        </text>
        <line class="base" x1={0} x2={SIZE.width} y1={SIZE.height - SIZE.foot} y2={SIZE.height - SIZE.foot} />
        {series.map(({ values, tone, name }, which) =>
          values.map((value, index) => {
            if (value === null || value === 0) return null;
            const height = Math.max(2, (value / most) * full);
            return (
              <rect
                class={`bar bar-${tone}`}
                x={index * slot + slot * 0.14 + which * bar}
                y={SIZE.height - SIZE.foot - height}
                width={Math.max(1, bar - 1)}
                height={height}
                rx={1.5}
              >
                <title>{`${dates[index] ?? ''} · ${name}: ${shown(value)}`}</title>
              </rect>
            );
          }),
        )}
        {dates.map((date, index) =>
          index % Math.ceil(dates.length / 7) === 0 ? (
            <text class="axis" x={index * slot + slot / 2} y={SIZE.height - 4} text-anchor="middle">
              {date.slice(5)}
            </text>
          ) : null,
        )}
      </svg>
      <details class="small">
        <summary>{t('health.table')}</summary>
        <div class="scroll" tabindex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('health.day')}</th>
                {series.map(({ name }) => (
                  <th scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {dates.map((date, index) => (
                <tr>
                  <th scope="row">{date}</th>
                  {series.map(({ values }) => {
                    const value = values[index] ?? null;
                    return <td class="number">{value === null ? '–' : shown(value)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
