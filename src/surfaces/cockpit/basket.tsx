import { LIMITS } from '../../core/limits.js';
import { STATUSES } from '../../core/work.js';
import { NextPage } from './next-page.js';
import type { Screens } from './screens.js';
import type { Visit } from './visit.js';
import { WorkTable } from './work-table.js';

/** The ready-made filters. What is chosen stands in the address, so it can be kept as a bookmark and sent. */
const VIEWS = {
  all: {},
  unclaimed: { status: ['READY', 'REWORK'], unowned: '1' },
  in_progress: { status: ['IN_PROGRESS'] },
  gates: { status: ['OWNER_GATE'] },
  reviews: { status: ['VP_REVIEW'] },
  outcome_unknown: { status: ['OUTCOME_UNKNOWN'] },
  overdue: { overdue: '1' },
} as const satisfies Record<string, { status?: readonly string[]; unowned?: string; overdue?: string }>;

const SORTS = ['created', '-created', '-updated', 'updated', 'priority', 'due'] as const;

export function basketScreens(screens: Screens): void {
  screens.get('/basket', async (visit) => {
    const { t, door, query } = visit;
    const page = await door.list(listQuery(query));
    return {
      title: t('nav.basket'),
      section: 'basket',
      body: (
        <>
          <h1>{t('nav.basket')}</h1>
          <Views visit={visit} />
          <Filters visit={visit} kinds={(await door.kinds()).map((kind) => kind.kind)} />
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
            <WorkTable visit={visit} works={page.items} empty={t('list.empty')} />
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

function Views({ visit }: { readonly visit: Visit }) {
  const { t, query } = visit;
  return (
    <nav class="views" aria-label={t('list.views')}>
      {Object.entries(VIEWS).map(([name, filter]) => {
        const address = new URLSearchParams(
          Object.entries(filter).flatMap(([key, value]) =>
            [value].flat().map((each): [string, string] => [key, String(each)]),
          ),
        );
        const chosen = sameFilter(address, query);
        return (
          <a
            href={address.size === 0 ? '/basket' : `/basket?${address.toString()}`}
            aria-current={chosen ? 'true' : undefined}
          >
            {t(`view.${name as keyof typeof VIEWS}`)}
          </a>
        );
      })}
    </nav>
  );
}

function sameFilter(a: URLSearchParams, b: URLSearchParams): boolean {
  const of = (query: URLSearchParams): string =>
    ['status', 'kind', 'holder', 'q', 'overdue', 'unowned']
      .map((name) => query.getAll(name).filter(Boolean).toSorted().join(','))
      .join('|');
  return of(a) === of(b);
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
