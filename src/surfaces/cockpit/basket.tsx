import { LIMITS } from '../../core/limits.js';
import { STATUSES } from '../../core/work.js';
import { NextPage } from './next-page.js';
import { Refusal } from '../../core/refusals.js';
import type { WorkView } from '../../operations/views.js';
import type { Screens } from './screens.js';
import { ReassignStart } from './reassign.js';
import { hasRole, type Visit } from './visit.js';
import { WorkTable } from './work-table.js';

/** The desk's own views, in its own order, the most pressing first. Dead letters have their place under Health. */
const VIEWS = [
  'unclaimed',
  'in_progress',
  'awaiting_info',
  'overdue',
  'outcome_unknown',
  'gates',
  'reviews',
  'not_applied',
] as const;

const SORTS = ['created', '-created', '-updated', 'updated', 'priority', 'due'] as const;

export function basketScreens(screens: Screens): void {
  screens.get('/basket', async (visit) => {
    const { t, query } = visit;
    const page = await pageOf(visit);
    const view = query.get('view');
    // What runs can change hands; only the views of it offer that.
    const reassigns =
      (view === 'in_progress' || view === 'outcome_unknown') && hasRole(visit.session, 'operator');
    return {
      title: t('nav.basket'),
      section: 'basket',
      body: (
        <>
          <h1>{t('nav.basket')}</h1>
          <Views visit={visit} />
          {view ? null : (
            <Filters visit={visit} kinds={(await visit.door.kinds()).map((kind) => kind.kind)} />
          )}
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
            {reassigns && page.items.length > 0 ? <ReassignStart visit={visit} /> : null}
            <NextPage visit={visit} cursor={page.nextCursor} />
          </div>
        </>
      ),
    };
  });
}

/** The door's query of an address: empty fields of the form are no filters. */
function listQuery(query: URLSearchParams): Record<string, unknown> {
  const wanted: Record<string, unknown> = { limit: LIMITS.page_default };
  for (const name of ['holder', 'overdue', 'unowned', 'q', 'sort', 'cursor']) {
    const value = query.get(name);
    if (value) wanted[name] = value;
  }
  for (const name of ['status', 'kind']) {
    const values = query.getAll(name).filter((value) => value !== '');
    if (values.length > 0) wanted[name] = values;
  }
  return wanted;
}

interface WorksPage {
  readonly items: readonly WorkView[];
  readonly nextCursor: string | null;
  readonly total: number;
}

/** One of the desk's views, or what the filters say. What is chosen stands in the address, to be kept and sent. */
async function pageOf({ door, query }: Visit): Promise<WorksPage> {
  const view = query.get('view');
  if (!view) return await door.list(listQuery(query));
  if (!(VIEWS as readonly string[]).includes(view)) throw new Refusal('NOT_FOUND', `no view ${view}`);
  const cursor = query.get('cursor');
  const page = await door.basket({ view, ...(cursor ? { cursor } : {}) });
  return { ...page, items: page.items.filter((item) => 'workId' in item && 'status' in item) };
}

function Views({ visit }: { readonly visit: Visit }) {
  const { t, query } = visit;
  const chosen = query.get('view') ?? '';
  const link = (view: string, text: string) => (
    <a
      href={view === '' ? '/basket' : `/basket?view=${view}`}
      aria-current={view === chosen ? 'true' : undefined}
    >
      {text}
    </a>
  );
  return (
    <nav class="views" aria-label={t('list.views')}>
      {link('', t('view.all'))}
      {VIEWS.map((view) => link(view, t(`view.${view}`)))}
    </nav>
  );
}

function Filters({ visit, kinds }: { readonly visit: Visit; readonly kinds: readonly string[] }) {
  const { t, query } = visit;
  return (
    <form class="filters" method="get" action="/basket" role="search" aria-label={t('list.filter')}>
      <label>
        <span>{t('list.search')}</span>
        <input type="search" name="q" value={query.get('q') ?? ''} maxlength={200} />
      </label>
      <label>
        <span>{t('work.status')}</span>
        <select name="status">
          <option value="">{t('list.any')}</option>
          {STATUSES.map((status) => (
            <option value={status} selected={query.getAll('status').join() === status}>
              {t(`status.${status}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('work.kind')}</span>
        <select name="kind">
          <option value="">{t('list.any')}</option>
          {kinds.map((kind) => (
            <option value={kind} selected={query.get('kind') === kind}>
              {kind}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('work.holder')}</span>
        <input name="holder" value={query.get('holder') ?? ''} maxlength={LIMITS.name_chars} />
      </label>
      <label>
        <span>{t('list.sort')}</span>
        <select name="sort">
          {SORTS.map((sort) => (
            <option value={sort} selected={query.get('sort') === sort}>
              {t(`sort.${sort}`)}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input type="checkbox" name="overdue" value="1" checked={query.get('overdue') === '1'} />
        {t('list.only_overdue')}
      </label>
      <label class="choice">
        <input type="checkbox" name="unowned" value="1" checked={query.get('unowned') === '1'} />
        {t('list.only_unowned')}
      </label>
      <span class="filters-end">
        <button class="primary">{t('list.apply')}</button>
        <a href="/basket">{t('list.clear')}</a>
      </span>
    </form>
  );
}
