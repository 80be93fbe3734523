import type { Say } from './language.js';

const MINUTE_ms = 60_000;
const HOUR_ms = 60 * MINUTE_ms;
const DAY_ms = 24 * HOUR_ms;

/** A span in its largest unit, as people say it: `4 min`, `3 h`, `12 d`. */
export function span(t: Say, span_ms: number): string {
  const left_ms = Math.max(0, span_ms);
  if (left_ms < MINUTE_ms) return t('span.now');
  if (left_ms < HOUR_ms) return t('span.minutes', { n: Math.floor(left_ms / MINUTE_ms) });
  if (left_ms < 2 * DAY_ms) return t('span.hours', { n: Math.floor(left_ms / HOUR_ms) });
  return t('span.days', { n: Math.floor(left_ms / DAY_ms) });
}

/** A time in UTC, to the minute; the page's script turns it into the reader's own zone. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time datetime={at} title={at}>
      {`${at.slice(0, 16).replace('T', ' ')} UTC`}
    </time>
  );
}

/** How long ago something was, with the time itself on hover. */
export function Age({ t, at, now_ms }: { readonly t: Say; readonly at: string; readonly now_ms: number }) {
  return (
    <span class="age" title={at}>
      {span(t, now_ms - Date.parse(at))}
    </span>
  );
}

/** When something is due: overdue says so in words, not only in colour. */
export function Due({
  t,
  at,
  now_ms,
}: {
  readonly t: Say;
  readonly at: string | null;
  readonly now_ms: number;
}) {
  if (at === null) return <span class="muted">–</span>;
  const left_ms = Date.parse(at) - now_ms;
  return left_ms < 0 ? (
    <strong class="bad" title={at}>
      {t('due.overdue', { span: span(t, -left_ms) })}
    </strong>
  ) : (
    <span title={at}>{t('due.in', { span: span(t, left_ms) })}</span>
  );
}
