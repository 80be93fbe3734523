import type { Change } from './identity.js';

/**
 * Which finished items a correction leaves untouched, so that they need not be done again. An item that is a JSON
 * Pointer into the input is touched by a change at, above or below it; any other by a change whose path names it.
 */
export function untouchedItems(items: readonly string[], changes: readonly Change[]): string[] {
  return items.filter(
    (item) =>
      !changes.some(({ path }) =>
        item.startsWith('/') ? overlaps(item, path) : path.split('/').includes(item),
      ),
  );
}

function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
