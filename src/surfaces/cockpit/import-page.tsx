import { CASE_KIND } from '../../core/case.js';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import { IMPORT_FORMATS, readImport, type ImportFormat } from '../../importing/read-import.js';
import type { Door } from '../../operations/door.js';
import { Csrf } from './layout.js';
import type { Screens } from './screens.js';
import type { Visit } from './visit.js';

export function importScreens(screens: Screens): void {
  screens.get('/import', async (visit) => ({
    title: visit.t('nav.import'),
    section: 'import',
    scripts: ['import.js'],
    body: <ImportPage visit={visit} kinds={await importable(visit.door)} />,
  }));
  screens.upload('/import', (visit) => Promise.resolve(importAnswer(visit)));
}

/** The kinds that a line may become. A case is none: an exception has an origin, which a line of a backlog has not. */
async function importable(door: Door): Promise<string[]> {
  return (await door.kinds()).map(({ kind }) => kind).filter((kind) => kind !== CASE_KIND);
}

/** Registers the lines as they arrive and answers each; neither the file nor its outcomes are ever held as a whole. */
function importAnswer({ door, request, query }: Visit): Response {
  const format = query.get('format') ?? 'jsonl';
  const kind = (query.get('kind') ?? '').slice(0, LIMITS.name_chars);
  if (!(IMPORT_FORMATS as readonly string[]).includes(format))
    throw new Refusal('INVALID', `no import format ${format.slice(0, 50)}`);
  const chunks = (request.body ?? []) as unknown as AsyncIterable<Uint8Array>;
  const lines = readImport(format as ImportFormat, chunks, kind === '' ? {} : { kind });
  const outcomes = door.importWorks(lines);
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await outcomes.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      } catch (error) {
        // Cut off, so that a part is never taken for the whole.
        controller.error(error);
      }
    },
    async cancel() {
      await outcomes.return(undefined);
    },
  });
  return new Response(stream, {
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
  });
}

function ImportPage({ visit, kinds }: { readonly visit: Visit; readonly kinds: readonly string[] }) {
  const { t, session } = visit;
  return (
    <>
      <h1>{t('nav.import')}</h1>
      <p class="lead">{t('import.lead')}</p>
      <form
        id="import"
        class="panel import"
        data-done={t('import.done')}
        data-failed={t('import.failed')}
        data-running={t('import.running')}
      >
        <Csrf session={session} />
        <div class="filters">
          <label>
            <span>{t('import.format')}</span>
            <select name="format">
              {IMPORT_FORMATS.map((format) => (
                <option value={format}>{t(`import.format.${format}`)}</option>
              ))}
            </select>
          </label>
          <label>
            <span>{t('import.kind')}</span>
            <select name="kind">
              {kinds.map((kind) => (
                <option value={kind} selected={kind === 'generic'}>
                  {kind}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label class="drop" id="drop">
          <span>{t('import.drop')}</span>
          <input type="file" name="file" accept=".jsonl,.ndjson,.json" />
        </label>
        <p id="import-state" role="status"></p>
        <progress
          id="import-progress"
          max="100"
          value="0"
          aria-label={t('import.progress')}
          hidden
        ></progress>
        <div id="import-refused" hidden>
          <h2>{t('import.refused')}</h2>
          <div class="scroll" tabindex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('import.line')}</th>
                  <th scope="col">{t('import.code')}</th>
                  <th scope="col">{t('import.why')}</th>
                </tr>
              </thead>
              <tbody></tbody>
            </table>
          </div>
        </div>
        <p id="import-next" hidden>
          <a class="button button-primary" href="/basket?status=DISCOVERED">
            {t('import.see')}
          </a>
        </p>
      </form>
    </>
  );
}
