import { LIMITS } from '../../core/limits.js';
import { STATUSES } from '../../core/work.js';
import type { Visit } from './visit.js';

/** The desk's own views, in its own order, the most pressing first. Dead letters have their place under Health. */
export const VIEWS = [
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

/** What narrows every list, and what only the list of all works has: a view brings its own order and lateness. */
const EVERYWHERE = ['q', 'status', 'kind', 'holder', 'team'] as const;
const WITHOUT_VIEW = ['overdue', 'unowned', 'sort'] as const;

/** The door's query of an address: empty fields of the form are no filters. */
export function queryOf(query: URLSearchParams): Record<string, unknown> {
  const names = query.get('view') ? EVERYWHERE : [...EVERYWHERE, ...WITHOUT_VIEW];
  const wanted: Record<string, unknown> = {};
  for (const name of [...names, 'cursor']) {
    const values = query.getAll(name).filter((value) => value !== '');
    const last = values.at(-1);
    if (last !== undefined) wanted[name] = name === 'status' || name === 'kind' ? values : last;
  }
  return wanted;
}

/** The basket's address with these filters in another view; '' is all works. */
function viewPath(query: URLSearchParams, view: string): string {
  const kept = new URLSearchParams(view === '' ? {} : { view });
  for (const name of EVERYWHERE) {
    for (const value of query.getAll(name)) if (value !== '') kept.append(name, value);
  }
  return kept.size === 0 ? '/basket' : `/basket?${kept.toString()}`;
}

/** The views, each under the filters that are set. */
export function Views({ visit }: { readonly visit: Visit }) {
  const { t, query } = visit;
  const chosen = query.get('view') ?? '';
  const link = (view: string, text: string) => (
    <a href={viewPath(query, view)} aria-current={view === chosen ? 'true' : undefined}>
      {text}
    </a>
  );
  return (
    <nav class="views" id="views" aria-label={t('list.views')}>
      {link('', t('view.all'))}
      {VIEWS.map((view) => link(view, t(`view.${view}`)))}
    </nav>
  );
}

/**
 * The filters of a list. With scripts the list follows each change and the address with it; without, a press does the
 * same. What is set stands in the address alone, so that it can be kept, sent and come back to.
 */
export function Filters({ visit, kinds }: { readonly visit: Visit; readonly kinds: readonly string[] }) {
  const { t, query } = visit;
  const view = query.get('view') ?? '';
  const active = Object.keys(queryOf(query)).filter((name) => name !== 'cursor' && name !== 'sort').length;
  return (
    <details class="filters-fold" open data-folds={active === 0 ? 'narrow' : undefined}>
      <summary>{active === 0 ? t('list.filter') : t('list.filters_set', { n: active })}</summary>
      <form
        class="filters"
        method="get"
        action="/basket"
        role="search"
        aria-label={t('list.filter')}
        hx-get="/basket"
        hx-target="#basket"
        hx-select="#basket"
        hx-select-oob="#views"
        hx-swap="outerHTML"
        hx-push-url="true"
        hx-sync="this:replace"
        hx-trigger="submit, change, input changed delay:400ms from:find input[name='q']"
      >
        {view === '' ? null : <input type="hidden" name="view" value={view} />}
        <label>
          <span>{t('list.search')}</span>
          <input type="search" name="q" value={query.get('q') ?? ''} maxlength={200} />
        </label>
        <Choice
          label={t('work.status')}
          name="status"
          any={t('list.any')}
          chosen={query.getAll('status')}
          options={STATUSES.map((status) => ({ value: status, text: t(`status.${status}`) }))}
        />
        <Choice
          label={t('work.kind')}
          name="kind"
          any={t('list.any')}
          chosen={query.getAll('kind')}
          options={kinds.map((kind) => ({ value: kind, text: kind }))}
        />
        <label>
          <span>{t('work.holder')}</span>
          <input name="holder" value={query.get('holder') ?? ''} maxlength={LIMITS.name_chars} />
        </label>
        <label>
          <span>{t('work.team')}</span>
          <input name="team" value={query.get('team') ?? ''} maxlength={LIMITS.name_chars} />
        </label>
        {view === '' ? <OnlyAllWorks visit={visit} /> : null}
        <span class="filters-end">
          <button class="primary">{t('list.apply')}</button>
          <a href={view === '' ? '/basket' : `/basket?view=${encodeURIComponent(view)}`}>{t('list.clear')}</a>
        </span>
      </form>
    </details>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  /** What stands for no choice. */
  readonly any: string;
  readonly chosen: readonly string[];
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

/** One value of a list. Several, which an address can hold, stay together as one choice. */
function Choice({ label, name, any, chosen, options }: ChoiceProps) {
  const set = chosen.filter((value) => value !== '').join(',');
  const known = set === '' || options.some(({ value }) => value === set);
  const textOf = (value: string): string => options.find((each) => each.value === value)?.text ?? value;
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        <option value="">{any}</option>
        {known ? null : (
          <option value={set} selected>
            {set.split(',').map(textOf).join(' + ')}
          </option>
        )}
        {options.map(({ value, text }) => (
          <option value={value} selected={value === set}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function OnlyAllWorks({ visit: { t, query } }: { readonly visit: Visit }) {
  return (
    <>
      <label>
        <span>{t('list.sort')}</span>
        <select name="sort">
          {SORTS.map((sort) => (
            <option value={sort === 'created' ? '' : sort} selected={query.get('sort') === sort}>
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
    </>
  );
}
