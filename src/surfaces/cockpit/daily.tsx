import { dailyMarkdown } from '../../operations/basket/daily-markdown.js';
import { attachment } from './artifact-download.js';
import { Markdown } from './markdown.js';
import type { Screens } from './screens.js';

/** The close of a day, as a page and as the Markdown it is made of. */
export function dailyScreens(screens: Screens): void {
  screens.get('/daily', async ({ t, door, query }) => {
    const date = query.get('date');
    const report = await door.dailyReport(date ? { date } : {});
    return {
      title: t('daily.title'),
      section: 'health',
      body: (
        <>
          <h1>{t('daily.title')}</h1>
          <form method="get" action="/daily" class="filters">
            <label>
              <span>{t('daily.date')}</span>
              <input type="date" name="date" value={report.date} />
            </label>
            <span class="filters-end">
              <button class="primary">{t('list.apply')}</button>
              <a href={`/daily.md?date=${report.date}`} download>
                Markdown
              </a>
            </span>
          </form>
          <article class="panel">
            <Markdown text={dailyMarkdown(report)} />
          </article>
        </>
      ),
    };
  });
  screens.get('/daily.md', async ({ door, query }) => {
    const date = query.get('date');
    const report = await door.dailyReport(date ? { date } : {});
    return new Response(dailyMarkdown(report), {
      headers: {
        'content-type': 'text/markdown; charset=utf-8',
        'content-disposition': attachment(`signalbox-${report.date}.md`),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  });
}
