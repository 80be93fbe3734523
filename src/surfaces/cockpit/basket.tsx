import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import type { WorkView } from '../../operations/views.js';
import { Filters, VIEWS, Views, queryOf } from './basket-filters.js';
import { NextPage } from './next-page.js';
import { ReassignStart } from './reassign.js';
import { SavedViews } from './saved-views.js';
import type { Screens } from './screens.js';
import { hasRole, type Visit } from './visit.js';
import { WorkTable } from './work-table.js';

export function basketScreens(screens: Screens): void {
  screens.get('/basket', async (visit) => {
    const { t, query } = visit;
    const page = await pageOf(visit);
    const view = query.get('view');
    // What runs can change hands, in whatever list it is.
    const reassigns =
      hasRole(visit.session, 'operator') && page.items.some(({ status }) => status === 'IN_PROGRESS');
    return {
      title: t('nav.basket'),
      section: 'basket',
      scripts: ['basket.js'],
      body: (
        <>
          <h1>{t('nav.basket')}</h1>
          <Views visit={visit} />
          <Filters visit={visit} kinds={(await visit.door.kinds()).map((kind) => kind.kind)} />
          <SavedViews visit={visit} />
          <div
            id="basket"
            hx-get={visit.path}
            hx-select="#basket"
            hx-swap="outerHTML"
            hx-trigger="desk-changed from:body"
            data-refreshes
          >
            <p class="muted" role="status">
              {t('list.total', { n: page.total })}
            </p>
            <WorkTable
              visit={visit}
              works={page.items}
              empty={t('list.empty')}
              toAnswer={view !== null}
              {...(reassigns ? { selectFor: 'bulk' } : {})}
            />
            {reassigns ? <ReassignStart visit={visit} /> : null}
            <NextPage visit={visit} cursor={page.nextCursor} />
          </div>
        </>
      ),
    };
  });
}

interface WorksPage {
  readonly items: readonly WorkView[];
  readonly nextCursor: string | null;
  readonly total: number;
}

/** One of the desk's views or all works, as far as the filters let them through. All of it stands in the address. */
async function pageOf({ door, query }: Visit): Promise<WorksPage> {
  const view = query.get('view');
  const wanted = { ...queryOf(query), limit: LIMITS.page_default };
  if (!view) return await door.list(wanted);
  if (!(VIEWS as readonly string[]).includes(view)) throw new Refusal('NOT_FOUND', `no view ${view}`);
  const page = await door.basket({ ...wanted, view });
  return { ...page, items: page.items.filter((item) => 'workId' in item && 'status' in item) };
}
