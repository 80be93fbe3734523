import type { Status } from '../../core/work.js';
import { STATUSES } from '../../core/work.js';
import { sayOr, type Say } from './language.js';
import { Evidence } from './markdown.js';
import { Time } from './time.js';
import type { TimelineEntry } from './timeline-entries.js';
import { StatusChip } from './work-table.js';

/** Entries that are shown at once; older ones are one press away. */
const SHOWN = 60;

/** Everything that happened to a work, newest first. */
export function Timeline({ t, entries }: { readonly t: Say; readonly entries: readonly TimelineEntry[] }) {
  const older = entries.slice(SHOWN);
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{t('work.timeline')}</h2>
      <ol class="timeline" reversed>
        {entries.slice(0, SHOWN).map((entry) => (
          <Entry t={t} entry={entry} />
        ))}
      </ol>
      {older.length > 0 ? (
        <details>
          <summary>{t('work.older', { n: older.length })}</summary>
          <ol class="timeline" reversed>
            {older.map((entry) => (
              <Entry t={t} entry={entry} />
            ))}
          </ol>
        </details>
      ) : null}
    </section>
  );
}

function Entry({ t, entry }: { readonly t: Say; readonly entry: TimelineEntry }) {
  const { outcome, from, to } = entry;
  const mark = outcome ?? 'event';
  return (
    <li class={`entry entry-${mark}`}>
      <div class="entry-head">
        <strong>{sayOr(t, `did.${entry.action}`, entry.action)}</strong>
        <span>
          <bdi>{entry.by}</bdi>
          {entry.onBehalf ? <span class="muted"> {t('event.via', { who: entry.onBehalf })}</span> : null}
        </span>
        {outcome ? <span class={`tag tag-${outcome}`}>{t(`event.${outcome}`)}</span> : null}
        {entry.code ? <code>{entry.code}</code> : null}
        <span class="muted when">
          <Time at={entry.at} />
        </span>
      </div>
      {from && to && from !== to ? (
        <p class="move">
          <Chip t={t} status={from} /> → <Chip t={t} status={to} />
        </p>
      ) : null}
      {entry.words.map((word) => (
        <p class="words">
          <bdi>{word}</bdi>
        </p>
      ))}
      {entry.evidenceRef ? (
        <p class="small">
          {t('field.evidenceRef')}: <Evidence reference={entry.evidenceRef} />
        </p>
      ) : null}
      <details class="small">
        <summary>{t('event.details')}</summary>
        <pre class="text">{JSON.stringify(entry.details, null, 2)}</pre>
      </details>
    </li>
  );
}

function Chip({ t, status }: { readonly t: Say; readonly status: string }) {
  const known = (STATUSES as readonly string[]).includes(status);
  return known ? <StatusChip t={t} status={status as Status} /> : <span>{status}</span>;
}
