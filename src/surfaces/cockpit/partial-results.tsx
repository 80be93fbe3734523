import type { JudgedWork } from './judged-work.js';
import { Time } from './time.js';
import type { Visit } from './visit.js';
import { workPath } from './work-table.js';

/** Items shown by name; a partial result may name thousands. */
const NAMED = 12;

/** What holders kept on their way: never a result by itself, but what the next one begins with. */
export function PartialResults({
  visit: { t },
  work,
}: {
  readonly visit: Visit;
  readonly work: JudgedWork['work'];
}) {
  if (work.partials.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="partials-title">
      <h2 id="partials-title">{t('partials.title')}</h2>
      <ul class="plain partials">
        {work.partials.toReversed().map(({ artifactSha256, items, by, inputVersion, at }) => (
          <li>
            <a href={`${workPath(work.workId)}/artifacts/${artifactSha256}`}>
              <code>{artifactSha256.slice(0, 12)}</code>
            </a>{' '}
            <strong>{by}</strong> · <Time at={at} /> · {t('partials.version', { n: inputVersion })} ·{' '}
            {t('partials.items', { n: items.length })}
            {items.length === 0 ? null : (
              <p class="small muted">
                <bdi>{items.slice(0, NAMED).join(', ')}</bdi>
                {items.length > NAMED ? ' …' : ''}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
