import type { Visit } from './visit.js';

/** The way to the next page of the same list: the address says everything, so it can be kept and sent. */
export function NextPage({ visit, cursor }: { readonly visit: Visit; readonly cursor: string | null }) {
  if (cursor === null && !visit.query.has('cursor')) return null;
  return (
    <nav class="pages" aria-label={visit.t('list.pages')}>
      {visit.query.has('cursor') ? (
        <a href={addressWith(visit, 'cursor', null)}>{visit.t('list.first')}</a>
      ) : null}
      {cursor === null ? null : (
        <a rel="next" href={addressWith(visit, 'cursor', cursor)}>
          {visit.t('list.next')}
        </a>
      )}
    </nav>
  );
}

/** This page's address with one part of its query changed; null takes it away. */
export function addressWith(visit: Visit, name: string, value: string | null): string {
  const query = new URLSearchParams(visit.query);
  query.delete(name);
  query.delete('done');
  if (value !== null) query.set(name, value);
  const { pathname } = new URL(visit.request.url);
  return query.size === 0 ? pathname : `${pathname}?${query.toString()}`;
}
