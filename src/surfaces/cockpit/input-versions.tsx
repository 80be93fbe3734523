import type { Door } from '../../operations/door.js';
import { JsonTable } from './json-table.js';
import type { Say } from './language.js';
import { Time } from './time.js';

type Versions = Awaited<ReturnType<Door['versions']>>;

/** What came in, newest version first, each with what it changed and why. */
export function InputVersions({ t, versions }: { readonly t: Say; readonly versions: Versions }) {
  return (
    <section class="panel" aria-labelledby="input-title">
      <h2 id="input-title">{t('work.input')}</h2>
      {versions.toReversed().map((version, index) => (
        <details open={index === 0}>
          <summary>
            {t('work.version_by', { n: version.version, by: version.registeredBy })} ·{' '}
            <Time at={version.at} />
          </summary>
          {version.reason ? (
            <p>
              <bdi>{version.reason}</bdi>
            </p>
          ) : null}
          {version.changes.length > 0 ? (
            <>
              <h3 class="small-title">{t('refusal.changes')}</h3>
              <div class="scroll" tabindex={0}>
                <JsonTable t={t} value={version.changes} />
              </div>
            </>
          ) : null}
          <div class="scroll" tabindex={0}>
            <JsonTable t={t} value={version.input} />
          </div>
        </details>
      ))}
    </section>
  );
}
