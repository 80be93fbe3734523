type Cell = string | number | boolean | null | undefined;

/** Longest cell before it is cut, in characters. */
const CELL_chars = 60;

/** Columns under their headings, as wide as what stands in them; the heading alone where there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(cell))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names before their values, one a line; what is null or undefined is left out. */
export function fields(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const there = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...there.map(([name]) => name.length));
  return there.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`).join('\n');
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return '-';
  const text = plain(String(value));
  return text.length > CELL_chars ? `${text.slice(0, CELL_chars - 1)}…` : text;
}

/** Registered text must not move the cursor or colour the terminal of whoever reads it. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F]+/g, ' ');
}

/** A time to the second, as people read it: `2025-03-31 12:00:00Z`. */
export function clock(time: string | null | undefined): string | null {
  return time == null ? null : time.replace('T', ' ').replace(/\.\d+/, '');
}

export function short(hash: string | null | undefined): string | null {
  return hash == null ? null : hash.slice(0, 12);
}
