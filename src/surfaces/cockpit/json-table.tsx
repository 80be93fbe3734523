import type { Child } from 'hono/jsx';
import { LIMITS } from '../../core/limits.js';
import type { Say } from './language.js';

/** Deeper than this a value is shown as the JSON it is. */
const DEPTH = 4;

/** A hash or the like, which must be let break: it would push the page wider than the screen. */
const UNBROKEN = /\S{28}/;

interface JsonProps {
  readonly t: Say;
  readonly value: unknown;
  readonly depth?: number;
}

/** JSON as tables: fields as rows, a list of like objects as one table with columns. */
export function JsonTable({ t, value, depth = 0 }: JsonProps): Child {
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />;
  if (depth >= DEPTH) return <code class="wrap">{JSON.stringify(value)}</code>;
  if (Array.isArray(value)) return <List t={t} items={value} depth={depth} />;
  const fields = Object.entries(value);
  if (fields.length === 0) return <code>{'{}'}</code>;
  return (
    <table class="json">
      <tbody>
        {fields.slice(0, LIMITS.renderedRows).map(([name, field]) => (
          <tr>
            <th scope="row">{name}</th>
            <td>
              <JsonTable t={t} value={field} depth={depth + 1} />
            </td>
          </tr>
        ))}
        <Rest t={t} count={fields.length} columns={2} />
      </tbody>
    </table>
  );
}

function List({ t, items, depth }: { readonly t: Say; readonly items: unknown[]; readonly depth: number }) {
  if (items.length === 0) return <code>[]</code>;
  const columns = columnsOf(items);
  if (columns === null) {
    return (
      <ol class="json-list">
        {items.slice(0, LIMITS.renderedRows).map((item) => (
          <li>
            <JsonTable t={t} value={item} depth={depth + 1} />
          </li>
        ))}
        {items.length > LIMITS.renderedRows ? (
          <li>{t('artifact.more', { n: items.length - LIMITS.renderedRows })}</li>
        ) : null}
      </ol>
    );
  }
  return (
    <div class="scroll" tabindex={0}>
      <table class="json json-rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.slice(0, LIMITS.renderedRows).map((item) => (
            <tr>
              {columns.map((column) => (
                <td>
                  {Object.hasOwn(item as object, column) ? (
                    <JsonTable t={t} value={(item as Record<string, unknown>)[column]} depth={depth + 1} />
                  ) : null}
                </td>
              ))}
            </tr>
          ))}
          <Rest t={t} count={items.length} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** The fields of a list of objects that share their shape; null for any other list. */
function columnsOf(items: readonly unknown[]): string[] | null {
  const names = new Set<string>();
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
    for (const name of Object.keys(item)) names.add(name);
    if (names.size > 12) return null;
  }
  return [...names];
}

function Rest({ t, count, columns }: { readonly t: Say; readonly count: number; readonly columns: number }) {
  if (count <= LIMITS.renderedRows) return null;
  return (
    <tr>
      <td colspan={columns}>{t('artifact.more', { n: count - LIMITS.renderedRows })}</td>
    </tr>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === 'string')
    return value === '' ? (
      <code>""</code>
    ) : (
      <span class={UNBROKEN.test(value) ? 'json-text json-long' : 'json-text'}>{value}</span>
    );
  return <code class="json-value">{String(value)}</code>;
}
